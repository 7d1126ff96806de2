/** What the printing tests share: sealed receipts, and a reader for the PDFs we write. */
import { inflateSync } from 'node:zlib';
import { seal } from '@rcpt/proof/receipt.ts';
import type { Rendered } from '../../src/share/view.ts';

export const LINK = 'http://ledger.test/share/q3v8Zr1mYt6bK0sWc2LdQw';

export const PERSON = 'user_0190a1b2c3d40190a1b2c3d40190a1b2';

export function hash(start: string): string {
  return start.repeat(64).slice(0, 64);
}

/** A generic receipt, its texts replaceable. */
export function genericReceipt(text = (usual: string) => usual, checks = 3): Record<string, unknown> {
  return {
    schema: 'service.receipt/v1',
    receipt_id: 'RCPT-000012-9f3ac01b',
    org_seq: 12,
    parent_hash: hash('5d41'),
    created_at: '2026-05-29T20:14:33.123Z',
    organization: { id: text('org_1'), name: text('Northwind Research') },
    share_url: LINK,
    run: { id: text('run_1'), lane: 'generic', title: text('Weekly digest'), inputs: { task: text('Collect.') } },
    evidence: [
      { kind: 'file', label: text('export.csv'), sha256: hash('3f7a'), content_type: 'text/csv', byte_size: 1204 },
    ],
    checks: Array.from({ length: checks }, (_, i) => ({
      key: `check_${i}`,
      label: text(`Rule ${i}`),
      category: 'math',
      status: (['pass', 'flag', 'skip'] as const)[i % 3],
      severity: 'low',
      detail: text('All sums agree.'),
      decided_by: 'rule',
    })),
    verdict: {
      outcome: 'pass',
      score_100: 96,
      severity: 'none',
      client_ready: 'yes',
      recommended_action: text('Send it.'),
      summary: text('Every rule that counts passed.'),
    },
    approval: {
      decision: 'approved',
      approved_by: text('Ada Okafor'),
      approver_id: PERSON,
      note: text('Good.'),
      approved_at: '2026-05-29T20:12:01.007Z',
    },
  };
}

export function sealed(payload: object = genericReceipt()): Rendered {
  const bytes = seal(payload).canonical;
  return { receipt: JSON.parse(bytes) as object, bytes, verified: true, share_url: LINK };
}

export interface PdfContent {
  /** Text per page, as a person sees it: boxed codes appear as their codes. */
  pages: string[];
  attachments: Map<string, Buffer>;
  /** The file with every stream inflated. */
  source: string;
}

/** Reads what PDFKit writes: classic objects, Flate streams, two-byte glyph ids with a ToUnicode map. */
export function readPdf(pdf: Buffer): PdfContent {
  const objects = objectsOf(pdf);
  const source = Array.from(objects.values(), (o) => o.dict + (o.stream?.toString('latin1') ?? '')).join('\n');
  const attachments = new Map<string, Buffer>();
  const pages: string[] = [];
  for (const { dict } of objects.values()) {
    if (/\/Type \/Filespec/.test(dict)) {
      const name = /\/F \(([^)]*)\)/.exec(dict)?.[1] ?? '';
      const file = /\/F (\d+) 0 R/.exec(dict)?.[1];
      attachments.set(name, objects.get(Number(file))?.stream ?? Buffer.alloc(0));
    }
    if (/\/Type \/Page\b/.test(dict)) {
      const content = objects.get(Number(/\/Contents (\d+) 0 R/.exec(dict)?.[1]));
      const fonts = fontsOf(objects, dict);
      pages.push(textOf(content?.stream?.toString('latin1') ?? '', fonts));
    }
  }
  return { pages, attachments, source };
}

type Objects = Map<number, { dict: string; stream: Buffer | null }>;

function objectsOf(pdf: Buffer): Objects {
  const text = pdf.toString('latin1');
  const objects: Objects = new Map();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\n/g)) {
    const start = match.index + match[0].length;
    const end = text.indexOf('\nendobj', start);
    const at = text.indexOf('\nstream\n', start);
    const dict = text.slice(start, at >= 0 && at < end ? at : end);
    if (at < 0 || at > end) {
      objects.set(Number(match[1]), { dict, stream: null });
      continue;
    }
    const length = Number(/\/Length (\d+)/.exec(dict)?.[1]);
    const bytes = pdf.subarray(at + 8, at + 8 + length);
    objects.set(Number(match[1]), { dict, stream: /FlateDecode/.test(dict) ? inflateSync(bytes) : bytes });
  }
  return objects;
}

function fontsOf(objects: Objects, page: string): Map<string, string[]> {
  const resources = objects.get(Number(/\/Resources (\d+) 0 R/.exec(page)?.[1]))?.dict ?? page;
  const fonts = new Map<string, string[]>();
  for (const [, name = '', id] of resources.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
    const map = Number(/\/ToUnicode (\d+) 0 R/.exec(objects.get(Number(id))?.dict ?? '')?.[1]);
    const cmap = objects.get(map)?.stream?.toString('latin1') ?? '';
    const glyphs = Array.from(cmap.matchAll(/\[([^\]]*)\]/g), (range) =>
      Array.from((range[1] ?? '').matchAll(/<([^>]*)>/g), (entry) =>
        String.fromCharCode(
          ...(entry[1] ?? '')
            .split(' ')
            .filter(Boolean)
            .map((unit) => Number.parseInt(unit, 16)),
        ),
      ),
    );
    fonts.set(name, glyphs.flat());
  }
  return fonts;
}

function textOf(content: string, fonts: Map<string, string[]>): string {
  let glyphs: string[] = [];
  let text = '';
  for (const line of content.split('\n')) {
    const font = /^\/(F\d+) [\d.]+ Tf$/.exec(line)?.[1];
    if (font) glyphs = fonts.get(font) ?? [];
    if (!line.endsWith(' TJ')) continue;
    for (const [, hex = ''] of line.matchAll(/<([0-9a-f]*)>/g)) {
      for (let i = 0; i < hex.length; i += 4) text += glyphs[Number.parseInt(hex.slice(i, i + 4), 16)] ?? '?';
    }
    text += '\n';
  }
  return text;
}
