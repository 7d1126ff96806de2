/** Bytes of a stream → whole lines. A lone carriage return ends a line too: progress bars write nothing else. */
import { StringDecoder } from 'node:string_decoder';

/** In UTF-16 units; a longer line is cut. Written as JSON it stays far below what the router takes at once. */
export const LONGEST_LINE = 32_000;

export interface LineSplitter {
  /** The lines that these bytes complete. */
  push(bytes: Buffer): string[];
  /** What came after the last line end. */
  end(): string[];
}

export function createLineSplitter(): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';

  function take(text: string): string[] {
    // A carriage return at the very end may be half of CR LF.
    const held = text.endsWith('\r') ? 1 : 0;
    const lines = text.slice(0, text.length - held).split(/\r\n|\n|\r/);
    rest = lines.pop()! + text.slice(text.length - held);
    const whole = lines.flatMap(cut);
    if (rest.length <= LONGEST_LINE) return whole;
    const parts = cut(rest);
    rest = parts.pop()!;
    return [...whole, ...parts];
  }

  return {
    push: (bytes) => take(rest + decoder.write(bytes)),
    end() {
      const lines = take(rest + decoder.end());
      const last = rest.replace(/\r$/, '');
      const ended = rest !== '';
      rest = '';
      return ended ? [...lines, last] : lines;
    },
  };
}

/** Never between the two halves of a character. */
function cut(line: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (line.length - from > LONGEST_LINE) {
    const half = /[\ud800-\udbff]/.test(line[from + LONGEST_LINE - 1]!) ? 1 : 0;
    parts.push(line.slice(from, from + LONGEST_LINE - half));
    from += LONGEST_LINE - half;
  }
  return [...parts, line.slice(from)];
}
