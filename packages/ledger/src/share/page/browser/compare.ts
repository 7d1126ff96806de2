/** Drop a file on the page, or choose one: is it what this receipt seals? What hashes and compares is loaded with the first file. */
import { type Happening, type PickedFile, page, type Spot, spot, write } from './dom.ts';
import type { Table, Verified } from './table.ts';

/** What files are compared with; else why they cannot be. */
export type Comparable = Verified | { why_not: string };

export function offerComparison(comparable: Comparable): void {
  const zone = spot('#drop');
  if (!zone) return;
  if ('why_not' in comparable) {
    write('#compare-state', comparable.why_not);
    return;
  }
  let table: Promise<Table> | undefined;
  listen(zone, async (files) => {
    try {
      table ??= import('./table.ts').then(({ setTable }) => setTable(comparable));
      await (await table).lay(files);
    } catch {
      zone.hidden = true;
      write(
        '#compare-state',
        'What hashes files could not be started in this browser. Load the page again, or compare by hand, as described below.',
      );
    }
  });
  write('#compare-state', '');
  zone.hidden = false;
}

/** Wherever on the page a file is dropped: beside the zone, the browser would open it and leave the page. */
function listen(zone: Spot, take: (files: PickedFile[]) => void): void {
  const over = (is: boolean) => zone.setAttribute('class', is ? 'drop over' : 'drop');
  const bears = ({ dataTransfer }: Happening) => dataTransfer?.types.includes('Files') === true;
  page().addEventListener('dragover', (event) => {
    if (!bears(event)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
    over(true);
  });
  page().addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) over(false);
  });
  page().addEventListener('drop', (event) => {
    if (!bears(event)) return;
    event.preventDefault();
    over(false);
    zone.scrollIntoView({ block: 'nearest' });
    take([...(event.dataTransfer?.files ?? [])]);
  });
  const input = spot('#file');
  input?.addEventListener('change', () => {
    const files = [...(input.files ?? [])];
    // So that the same file, changed meanwhile, can be chosen again.
    input.value = '';
    if (files.length > 0) take(files);
  });
}
