/** `npm run build` writes `dist`, which the ledger serves; `npm run dev` serves the sources in front of a running ledger. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { compressed, preloadedFonts } from './build.ts';
import { ledgerBehind } from './dev.ts';

export default defineConfig(({ command }) => ({
  root: import.meta.dirname,
  logLevel: command === 'build' ? 'warn' : 'info',
  // Every text is shown by one rule: see `src/shown/jsx-runtime.ts`.
  plugins: [react({ jsxImportSource: '@shown' }), preloadedFonts(), compressed()],
  resolve: { alias: { '@shown': join(import.meta.dirname, 'src/shown') } },
  build: {
    target: 'es2022',
    assetsDir: 'console/assets',
    // The content security policy takes fonts and images from this origin, and scripts from files alone.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: command === 'serve' ? { strictPort: false, proxy: ledgerBehind() } : {},
}));
