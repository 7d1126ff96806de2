/**
 * The files that are attached inside a PDF. Reads PDFs as the ledger writes them; one that another program has saved anew may keep its
 * attachments where this does not look. What comes out is verified like any other file: the PDF itself is trusted with nothing.
 */
import { ProofError } from '../error.ts';

const MOST_FILES = 16;
/** All of them together, unpacked. */
const LARGEST_BYTES = 64 * 1024 * 1024;
/** Between the mark of an attachment and its first byte. */
const LONGEST_DICTIONARY = 4096;
const MARK = '/EmbeddedFile';

export function isPdf(bytes: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(bytes.subarray(0, 5)) === '%PDF-';
}

/** In their order in the file. Throws `not_a_pdf` for attachments that cannot be read. */
export async function attachmentsOf(pdf: Uint8Array): Promise<Uint8Array[]> {
  const text = new TextDecoder('latin1').decode(pdf);
  const files: Uint8Array[] = [];
  let room = LARGEST_BYTES;
  for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + 1)) {
    // `/EmbeddedFiles` is their index.
    if (/[A-Za-z]/.test(text[at + MARK.length] ?? '')) continue;
    if (files.length === MOST_FILES) throw unreadable(`it has more than ${MOST_FILES} attachments`);
    const file = await attachmentAt(pdf, text, at, room);
    room -= file.length;
    files.push(file);
  }
  return files;
}

async function attachmentAt(pdf: Uint8Array, text: string, at: number, room: number): Promise<Uint8Array> {
  const begin = text.lastIndexOf(' obj', at);
  const stream = text.indexOf('stream', at);
  if (begin === -1 || at - begin > LONGEST_DICTIONARY || stream === -1 || stream - at > LONGEST_DICTIONARY)
    throw unreadable('an attachment has no beginning');
  const dictionary = text.slice(begin, stream);
  const start = stream + (text.startsWith('\r\n', stream + 6) ? 8 : 7);
  const length = Number(/\/Length (\d{1,9})\b(?! \d+ R)/.exec(dictionary)?.[1] ?? 'none');
  if (!/^\s*endstream/.test(text.slice(start + length, start + length + 16)))
    throw unreadable('an attachment has no end');
  const bytes = pdf.subarray(start, start + length);
  const filter = /\/Filter\s*\[?\s*\/(\w+)/.exec(dictionary)?.[1];
  if (filter !== undefined && filter !== 'FlateDecode') throw unreadable('an attachment is packed in another way');
  return filter === undefined ? bytes : inflated(bytes, room);
}

async function inflated(bytes: Uint8Array, room: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const unpacked = new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'));
  const reader = (unpacked as ReadableStream<Uint8Array>).getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length;
      if (size > room) throw unreadable('its attachments are too large');
      parts.push(read.value);
    }
  } catch (error) {
    throw error instanceof ProofError ? error : unreadable('an attachment is damaged');
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function unreadable(reason: string): ProofError {
  return new ProofError('not_a_pdf', `this PDF cannot be read: ${reason}. Take it as the ledger made it`);
}
