/** `@sigstore/verify`, with the organization's key as what is trusted, and no log and no time stamp of Sigstore's. */
import { createPublicKey } from 'node:crypto';
import { parseVerifierKey } from '@rcpt/proof/log/verifier-key.ts';
import { keyHint, publicKeyPem } from '@rcpt/proof/statement.ts';
import type { Answer, Case, Suite } from './tool.ts';

export interface SigstoreCase extends Case {
  bundle: unknown;
  /** Of the log, as a verifier key. */
  key: string;
}

const load = async () => ({ ...(await import('@sigstore/bundle')), ...(await import('@sigstore/verify')) });

export function sigstoreSuite(cases: SigstoreCase[]): Suite {
  return {
    tool: '@sigstore/verify',
    cases,
    async lacks() {
      return load().then(
        () => null,
        () => 'it is not installed; npm ci brings it, npm ci --omit=dev does not',
      );
    },
    async judge() {
      const { bundleFromJSON, toSignedEntity, toTrustMaterial, Verifier } = await load();
      const answers = new Map<string, Answer>();
      for (const { name, bundle, key: text } of cases) {
        const { key } = parseVerifierKey(text);
        const nobody = { tlogs: [], ctlogs: [], certificateAuthorities: [], timestampAuthorities: [] };
        const trusted = toTrustMaterial({ mediaType: '', ...nobody } as never, (hint) => {
          if (hint !== keyHint(key)) throw new Error(`unknown key ${hint}`);
          return { publicKey: createPublicKey(publicKeyPem(key)), validFor: () => true };
        });
        const verifier = new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 });
        try {
          verifier.verify(toSignedEntity(bundleFromJSON(bundle)));
          answers.set(name, { holds: true, why: '' });
        } catch (error) {
          answers.set(name, { holds: false, why: String(error) });
        }
      }
      return answers;
    },
  };
}
