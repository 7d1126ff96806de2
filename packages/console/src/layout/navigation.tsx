/** Where one can go. The section one is in shows its own pages below it. */
import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../components/icon.tsx';
import { useShortcuts } from './shortcuts.ts';

interface Place {
  href: string;
  label: string;
  icon: IconName;
  /** The second key after g. */
  key: string;
  within?: readonly { href: string; label: string }[];
}

const PLACES: readonly Place[] = [
  { href: '/', label: 'Home', icon: 'home', key: 'h' },
  { href: '/runs', label: 'Runs', icon: 'runs', key: 'r' },
  { href: '/receipts', label: 'Receipts', icon: 'receipt', key: 'e' },
  { href: '/ledger', label: 'Ledger', icon: 'chain', key: 'l' },
  { href: '/activity', label: 'Activity', icon: 'clock', key: 'a' },
  {
    href: '/compute',
    label: 'Compute',
    icon: 'compute',
    key: 'c',
    within: [
      { href: '/compute/jobs', label: 'Jobs' },
      { href: '/compute/members', label: 'Members' },
      { href: '/compute/datasets', label: 'Datasets' },
      { href: '/compute/quotes', label: 'Quotes' },
    ],
  },
  {
    href: '/settings',
    label: 'Settings',
    icon: 'settings',
    key: 's',
    within: [
      { href: '/settings/organization', label: 'Organization' },
      { href: '/settings/members', label: 'Members' },
      { href: '/settings/keys', label: 'API keys' },
      { href: '/settings/flight-sheets', label: 'Flight sheets' },
      { href: '/settings/witnesses', label: 'Witnesses' },
      { href: '/settings/agent-profiles', label: 'Agent profiles' },
    ],
  },
];

export function Navigation() {
  const [path, navigate] = useLocation();
  useShortcuts(
    Object.fromEntries(
      PLACES.map(({ href, label, key }) => [`g ${key}`, { does: `Go to ${label}`, run: () => navigate(href) }]),
    ),
  );
  return (
    <nav className="navigation" aria-label="Main">
      <ul>
        {PLACES.map(({ href, label, icon, within = [] }) => (
          <li key={href}>
            <Link href={href} aria-current={currentOf(path, href, within.length > 0)}>
              <Icon name={icon} />
              {label}
            </Link>
            {within.length > 0 && isWithin(path, href) && (
              <ul>
                {within.map((page) => (
                  <li key={page.href}>
                    <Link href={page.href} aria-current={currentOf(path, page.href, false)}>
                      {page.label}
                    </Link>
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** `page`: exactly here. `true`: somewhere below. */
function currentOf(path: string, href: string, hasPages: boolean): 'page' | 'true' | undefined {
  if (path === href) return 'page';
  return !hasPages && isWithin(path, href) ? 'true' : undefined;
}

function isWithin(path: string, href: string): boolean {
  return path === href || (href !== '/' && path.startsWith(`${href}/`));
}
