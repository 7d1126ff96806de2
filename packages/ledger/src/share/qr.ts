/** The QR code of a link, as rectangles: one per horizontal stretch of dark modules. */
import qrcode from 'qrcode-generator';

export interface QrCode {
  /** Modules per side, without the quiet zone of 4. */
  side: number;
  stretches: { x: number; y: number; length: number }[];
}

/** Null when the link is too long for any QR code. */
export function qrOf(link: string): QrCode | null {
  const code = qrcode(0, 'M');
  code.addData(Buffer.from(link, 'utf8').toString('latin1'), 'Byte');
  try {
    code.make();
  } catch {
    return null;
  }
  const side = code.getModuleCount();
  const stretches: QrCode['stretches'] = [];
  for (let y = 0; y < side; y++) {
    for (let x = 0; x < side; x++) {
      if (!code.isDark(y, x)) continue;
      const start = x;
      while (x + 1 < side && code.isDark(y, x + 1)) x++;
      stretches.push({ x: start, y, length: x - start + 1 });
    }
  }
  return { side, stretches };
}

/** An SVG path over `side` by `side` units. */
export function pathOf(code: QrCode): string {
  return code.stretches.map(({ x, y, length }) => `M${x} ${y}h${length}v1h-${length}z`).join('');
}
