/** The offline verifier in one file, where it was built. */
import { offlineVerifier } from '../share/page/assets.ts';
import type { Packing } from './packing.ts';
import type { ZipEntry } from './zip.ts';

export function* verifierEntries({ period, included }: Packing): Generator<ZipEntry> {
  const file = offlineVerifier();
  if (file === null) return;
  included.verifier = true;
  yield { path: 'verify.html', at: period.taken_at, content: file.body };
}
