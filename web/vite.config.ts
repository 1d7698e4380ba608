import { env } from 'node:process';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/**
 * The gateway that answers the console of the dev server. The host stays that of the browser, because
 * the gateway refuses writes whose origin differs from it.
 */
const TO_GATEWAY = { target: `http://127.0.0.1:${env.GATEWAY_PORT ?? 3000}`, changeOrigin: false };

/**
 * A browser asks for six files at a time: what screens share travels in few files, not in many small
 * ones. Each file imports only from those above it, so none waits for itself.
 */
const SHARED_BY = 3;
const CHUNKS = [
  { name: 'start', tags: ['$initial' as const], priority: 4 },
  { name: 'controls', test: /node_modules/, minShareCount: SHARED_BY, priority: 3 },
  { name: 'calls', test: /src\/(api|domain)\//, minShareCount: SHARED_BY, priority: 2 },
  { name: 'parts', test: /web\/src\/(lib|components|hooks)\//, minShareCount: SHARED_BY, priority: 1 },
];

export default defineConfig({
  plugins: [react(), precompress()],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    rolldownOptions: { output: { codeSplitting: { groups: CHUNKS } } },
  },
  server: {
    // The call tables and pure rules are shared with the server.
    fs: { allow: ['.', '../src/api', '../src/domain', '../node_modules'] },
    proxy: { '/api': TO_GATEWAY, '/mj': TO_GATEWAY, '/pg': TO_GATEWAY, '/v1': TO_GATEWAY },
  },
});
