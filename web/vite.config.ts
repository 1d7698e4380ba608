import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

// Where `gateway serve` listens unless told otherwise.
const GATEWAY = 'http://127.0.0.1:3000';

export default defineConfig({
  plugins: [react()],
  build: { outDir: '../dist/web', emptyOutDir: true, target: 'es2022' },
  server: {
    // The call tables and pure rules are shared with the server.
    fs: { allow: ['.', '../src/api', '../src/domain', '../node_modules'] },
    proxy: { '/api': GATEWAY },
  },
});
