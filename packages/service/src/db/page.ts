/** Pages end at a number of bytes as well as at a number of rows: five hundred Runs of a megabyte would fill the memory. */
const PAGE_BYTES = 4_194_304;

/** The first of these rows that one answer holds: at least one, so that the next page always begins further on. */
export function fitting<T extends { byte_size: number }>(rows: T[]): T[] {
  let bytes = 0;
  const cut = rows.findIndex(({ byte_size }, i) => {
    bytes += byte_size;
    return i > 0 && bytes > PAGE_BYTES;
  });
  return cut === -1 ? rows : rows.slice(0, cut);
}
