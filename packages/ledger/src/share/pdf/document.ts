/** An empty PDF with our faces, and metadata that holds whatever the title says. */
import PDFDocument from 'pdfkit';
import { facesOf } from '../fonts.ts';
import type { Frame } from './layout.ts';

/** A document whose bytes depend on nothing but the arguments: its id is derived from `info`, whose dates are given. */
export function createDocument(frame: Frame, info: PDFKit.DocumentInfo): PDFKit.PDFDocument {
  const doc = new PDFDocument({
    size: [frame.width, frame.height],
    margin: 0,
    pdfVersion: '1.7',
    lang: 'en',
    tagged: true,
    displayTitle: true,
    autoFirstPage: false,
    bufferPages: true,
    font: '',
    info,
  });
  describe(doc, info);
  for (const stack of ['text', 'strong', 'mono'] as const) {
    for (const font_face of facesOf(stack)) doc.registerFont(font_face.name, font_face.font as never);
  }
  return doc;
}

/** PDFKit writes its XMP packet without escaping; this one is well-formed whatever the title says. */
function describe(doc: PDFKit.PDFDocument, info: PDFKit.DocumentInfo): void {
  const packet = `
    <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
      <xmp:CreateDate>${info.CreationDate?.toISOString()}</xmp:CreateDate>
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(info.Title)}</rdf:li></rdf:Alt></dc:title>
      <dc:creator><rdf:Seq><rdf:li>${escapeXml(info.Author)}</rdf:li></rdf:Seq></dc:creator>
      <dc:description><rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(info.Subject)}</rdf:li></rdf:Alt></dc:description>
    </rdf:Description>`;
  Object.assign(doc, { _addInfo: () => (doc as unknown as { appendXML(xml: string): void }).appendXML(packet) });
}

function escapeXml(text = ''): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
