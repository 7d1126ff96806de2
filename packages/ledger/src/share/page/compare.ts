/** The part of the page where a reader holds a file against the receipt; `browser/compare.ts` brings it to life. */
import type { SealedFile, SealedFiles } from '@rcpt/proof/sealed-files.ts';
import { type Html, html } from './html.ts';

/** Null where the receipt seals no file. */
export function comparison({ output, evidence }: SealedFiles, verified: boolean, file: string): Html | null {
  if (!output && evidence.length === 0) return null;
  return html`<section class="compare" aria-labelledby="compare">
<h2 id="compare">Compare a file</h2>
<p id="compare-lead">This receipt seals the SHA-256 of ${inWords(output, evidence.length)}. If you hold such a file, see whether it is the one that was sealed.</p>
${verified ? zone() : null}
<p id="compare-state">${verified ? '' : 'The receipt itself does not verify, so no file is compared with it.'}</p>
${verified ? byHand(output, evidence.length, file) : null}
</section>`;
}

/** Shown by the script, once it has recomputed the receipt's hash. */
function zone(): Html {
  return html`<div class="drop" id="drop" hidden>
<input class="visually-hidden" id="file" type="file" multiple aria-describedby="compare-lead compare-private">
<label class="button" for="file">Choose a file</label>
<p class="anywhere">or drop it anywhere on this page</p>
<p class="private" id="compare-private">Your browser hashes it here. It is sent nowhere.</p>
</div>
<div class="compared" role="status">
<div class="reading" id="reading" hidden><p class="reading-name" id="reading-name"></p><progress class="bar" id="progress" max="1" value="0" aria-labelledby="reading-name"></progress><button class="button" id="stop" type="button">Stop</button></div>
<ul class="answers" id="answers"></ul>
<p class="compared-with"><span id="compared-with"></span><span class="hash" id="compared-hash"></span></p>
</div>`;
}

function byHand(output: SealedFile | null, evidence: number, file: string): Html {
  return html`<details>
<summary>Compare it by hand</summary>
<ol class="steps">
<li>In a terminal, in the folder of your file, run this line with its name:<pre class="command" tabindex="0"><code>shasum -a 256 FILE</code></pre></li>
${output && html`<li>For the ${output.name} it has to print <span class="hash">${output.sha256}</span></li>`}
${evidence > 0 && html`<li>For evidence it has to print a hash that stands under Evidence on this page.</li>`}
${output && output.hashed_as !== 'bytes' && html`<li>JSON is sealed in its canonical form (RFC 8785), which your file may not be in. This line compares both:<pre class="command" tabindex="0"><code>rcpt verify ${file} --output FILE</code></pre></li>`}
</ol>
</details>`;
}

/** `the output, and of 2 pieces of evidence`. */
function inWords(output: SealedFile | null, evidence: number): string {
  const pieces = evidence === 1 ? 'one piece of evidence' : `${evidence} pieces of evidence`;
  if (!output) return pieces;
  return evidence === 0 ? `the ${output.name}` : `the ${output.name}, and of ${pieces}`;
}
