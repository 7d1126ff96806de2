/** What stands beside a receipt, as page and PDF draw it, and as copies and mails do, which cannot be called back. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { disclosing, erasing, mintedWith } from '../kit/beside.ts';
import { readPdf } from '../kit/print.ts';
import { eachLedger } from '../kit/running.ts';

const HTML = { headers: { accept: 'text/html' } };
const VALUE = 'Ada Lovelace';
const textOf = (pdf: Buffer) => readPdf(pdf).pages.join(' ').replaceAll(/\s+/g, ' ');

eachLedger(
  'page, PDF and copies',
  (ledger) => {
    test('say of each what its link shows now, and are drawn anew when that changes', async () => {
      const tenant = await ledger.tenant();
      const minted = await mintedWith(tenant, {
        inputs: { patient: VALUE, '<b>&"': 1 },
        private: ['/inputs/patient', '/inputs/<b>&"', '/title'],
      });
      const page = async () => (await ledger.call('GET', minted.link, HTML)).text;
      const pdf = async () => textOf(Buffer.from(await (await fetch(`${ledger.url}${minted.link}/pdf`)).arrayBuffer()));
      const copy = join(ledger.folder, 'objects', tenant.organization_id, 'receipts', `${minted.receipt_id}.pdf`);
      const copied = async (words: RegExp) => {
        for (let tries = 0; tries < 200; tries++, await sleep(50))
          if (existsSync(copy) && words.test(textOf(readFileSync(copy)))) return textOf(readFileSync(copy));
        return assert.fail(`no copy says ${words}`);
      };
      assert.match(await page(), /\/inputs\/patient<\/strong><p class="said" dir="auto">Withheld/);
      assert.match(await page(), /\/inputs\/&lt;b&gt;&amp;&quot;/);
      assert.match(await page(), /<h1 dir="auto" id="private-title" data-path="\/title">Title withheld<\/h1>/);
      assert.match(await page(), /<meta property="og:title" content="Title withheld">/);
      assert.match(await pdf(), /Title withheld/);
      assert.match(await copied(/Beside this receipt/), /Title withheld/);
      assert.match(await copied(/Beside this receipt/), /Withheld/);
      await disclosing(tenant, minted, ['/inputs/patient']);
      assert.match(await page(), /Disclosed, not checked/, 'the server does not say whether it matches');
      assert.ok(!(await page()).includes(VALUE), 'the page’s script shows the value, once it has checked it');
      assert.match(await pdf(), /Disclosed: Ada Lovelace/);
      assert.ok(!(await copied(/Disclosed/)).includes(VALUE), 'a copy holds no value');
      await erasing(tenant, minted, '/inputs/patient', 'Consent withdrawn.');
      for (const text of [await page(), await pdf(), await copied(/Erased/)]) {
        assert.match(text, /Erased on .*, because: Consent withdrawn\./s);
        assert.ok(!text.includes(VALUE));
      }
      for (const file of readdirSync(join(ledger.folder, 'objects'), { recursive: true, encoding: 'utf8' }).filter(
        (name) => name.endsWith('.pdf'),
      ))
        assert.ok(!textOf(readFileSync(join(ledger.folder, 'objects', file))).includes(VALUE), file);
    });
  },
  {},
  { copies: true },
);
