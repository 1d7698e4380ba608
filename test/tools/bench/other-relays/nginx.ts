/** nginx, if installed, as a plain proxy of the mock: the lower bound for comparison. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../support/ports.ts';
import { listening } from '../../chaos/site/waiting.ts';
import { familyOf } from '../environment/processes.ts';

export interface Nginx {
  readonly url: string;
  readonly pids: readonly number[];
  stop(): Promise<void>;
}

const BINARY = '/usr/sbin/nginx';

export async function startNginx(upstream: string): Promise<Nginx | undefined> {
  if (!existsSync(BINARY)) return undefined;
  const folder = mkdtempSync(path.join(tmpdir(), 'gateway-bench-nginx-'));
  const port = await freePort();
  const config = path.join(folder, 'nginx.conf');
  writeFileSync(config, configText(folder, port, new URL(upstream).host));
  const child = spawn(BINARY, ['-c', config, '-p', folder, '-g', 'daemon off;'], {
    stdio: 'ignore',
  });
  const url = `http://127.0.0.1:${port}`;
  await listening('127.0.0.1', port, 'nginx accepts connections');
  return {
    url,
    pids: familyOf(child.pid ?? 0),
    async stop() {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      process.kill(Number(readFileSync(path.join(folder, 'nginx.pid'), 'utf8')), 'SIGTERM');
      await gone;
    },
  };
}

function configText(folder: string, port: number, upstream: string): string {
  return `
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 16384; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream mock { server ${upstream}; keepalive 256; }
  server {
    listen 127.0.0.1:${port};
    keepalive_requests 1000000;
    location / {
      proxy_pass http://mock; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 600s; client_max_body_size 64m;
    }
  }
}`;
}
