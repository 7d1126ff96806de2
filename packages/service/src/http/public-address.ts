/**
 * Where a service may connect when a caller of its API has named the address: to the public Internet, not to what stands beside it. Checked
 * of the very address that the connection is made to, so that a name that is looked up twice cannot lead elsewhere the second time.
 */
import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** IANA's special-purpose registries: this host, private, shared, link-local, documentation, benchmarks, multicast, reserved, translated. */
const V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Public IPv6 is 2000::/3 without these; the last two hold IPv4 addresses, which could be private. */
const V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '64:ff9b::/96'];

const special = new BlockList();
for (const network of V4) add(network, 'ipv4');
for (const network of V6) add(network, 'ipv6');
const public_v6 = new BlockList();
public_v6.addSubnet('2000::', 3, 'ipv6');

export class NotPublic extends Error {
  readonly code = 'ENOTPUBLIC';
}

/** @param address an IP address */
export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  return isIP(address) === 6 && public_v6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Of a URL: an address in it, which is not looked up; a name is no literal and passes. */
export function isLiteralNotPublic({ hostname }: URL): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) !== 0 && !isPublic(literal);
}

/** For `http.request`: fails with `NotPublic` where a name leads to any address that is not public. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    const other = addresses.find(({ address }) => !isPublic(address));
    if (other !== undefined || addresses.length === 0)
      return callback(new NotPublic(`${hostname} is ${other?.address ?? 'nowhere'}, which is no public address`), []);
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

function add(network: string, family: 'ipv4' | 'ipv6'): void {
  const [address = '', bits] = network.split('/');
  special.addSubnet(address, Number(bits), family);
}
