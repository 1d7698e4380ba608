/** Checks that the deployment files (image, Compose file, systemd unit, nginx) match each other. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { env } from 'node:process';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { CONFIG_VARIABLES, loadConfig } from '../../src/config.ts';
import { tempFolder } from '../support/temp-folder.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const isThere = (name: string) => existsSync(path.join(ROOT, name));

const PLAIN = loadConfig({ dataDir: '/nowhere' }, {});

/** Maximum seconds from SIGTERM to the exit of a node. */
function longestEndSec(leadSec: number): number {
  const { drainTimeoutMs, clientGraceMs } = PLAIN;
  const lastBillsMs = clientGraceMs + 5_000;
  return leadSec + (drainTimeoutMs + lastBillsMs + 5_000) / 1000;
}

function expectKnown(names: readonly string[]): void {
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter((name) => !CONFIG_VARIABLES.includes(name))).toEqual([]);
}

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
  readonly stop_grace_period?: string;
  readonly restart?: string;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly read_only?: boolean;
}

const compose: {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
} = parse(read('compose.yaml'), { merge: true });
const services = Object.entries(compose.services);
const nodes = services.filter(([, { build }]) => build !== undefined);
const nginx = read('docs/deploy/nginx.conf');

describe('other ways to deploy', () => {
  const page = read('docs/deploy/README.md');

  it('have a file that the page names', () => {
    for (const file of ['compose.one-node.yaml', 'kubernetes.yaml', 'Caddyfile', 'nginx.conf'])
      expect(page).toContain(`(${file})`);
  });

  it('a single container keeps its database and its key in a volume', () => {
    const { services } = parse(read('docs/deploy/compose.one-node.yaml'));
    expect(services.gateway.volumes).toEqual(['data:/data']);
    expect(services.gateway.ports).toEqual(['127.0.0.1:3000:3000']);
    expect(services.gateway.environment).toBeUndefined();
  });

  it('pods are probed, drained and take all settings from one secret', () => {
    const documents = parseAllDocuments(read('docs/deploy/kubernetes.yaml'));
    const objects = documents.map((document) => document.toJS());
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'Ingress',
    ]);
    const { spec } = objects[0].spec.template;
    const [container] = spec.containers;
    expect(container.readinessProbe.httpGet.path).toBe('/health/ready');
    expect(container.livenessProbe.httpGet.path).toBe('/health/live');
    expectKnown(container.env.map(({ name }: { name: string }) => name));
    const lead = Number(container.env[0].value);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(lead).toBeGreaterThan(periodSeconds * failureThreshold);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(60 + lead);
    for (const { name } of container.volumeMounts)
      expect(spec.volumes.map((volume: { name: string }) => volume.name)).toContain(name);
  });
});

describe('Compose file', () => {
  it('starts three nodes that share a database, a Redis server and a secret key', () => {
    expect(nodes.map(([name]) => name)).toEqual(['gateway1', 'gateway2', 'gateway3']);
    for (const [, { environment = {} }] of nodes) {
      expectKnown(Object.keys(environment));
      expect(Object.keys(environment)).toEqual(
        expect.arrayContaining(['GATEWAY_DB', 'GATEWAY_REDIS', 'GATEWAY_SECRET_KEY']),
      );
    }
  });

  it('pins image versions, restarts every service and contains no secrets', () => {
    for (const [name, { image = '', restart, build }] of services) {
      if (build === undefined) expect(image, name).toMatch(/:\d/);
      expect(restart, name).toBe('unless-stopped');
    }
    expect(read('compose.yaml')).toMatch(/GATEWAY_SECRET_KEY: \$\{GATEWAY_SECRET_KEY:\?/);
    expect(read('compose.yaml')).toMatch(/POSTGRES_PASSWORD: \$\{POSTGRES_PASSWORD:\?/);
  });

  it('waits only for services with a health check and mounts existing paths', () => {
    const image = read('Dockerfile');
    for (const [name, { depends_on = {}, volumes = [] }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const { healthcheck, build } = compose.services[other] ?? {};
        const isChecked = healthcheck !== undefined || build !== undefined;
        expect([name, other, condition, isChecked]).toEqual([name, other, 'service_healthy', true]);
      }
      for (const volume of volumes) {
        const [from = ''] = volume.split(':');
        expect(from.startsWith('.') ? isThere(from) : from in compose.volumes, volume).toBe(true);
      }
    }
    expect(image).toMatch(/^HEALTHCHECK /m);
  });

  it('gives nodes enough time to stop and drops their privileges', () => {
    for (const [, { environment = {}, stop_grace_period = '', cap_drop, read_only }] of nodes) {
      const leadSec = Number(environment.GATEWAY_DRAIN_LEAD);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThan(longestEndSec(leadSec));
      // Otherwise nginx could reuse a connection that the node is closing.
      expect(leadSec).toBeGreaterThan(Number(/keepalive_timeout (\d+)s/.exec(nginx)?.[1]));
      expect([cap_drop, read_only]).toEqual([['ALL'], true]);
    }
  });

  it('has nginx resolve the names of nodes again while it runs', () => {
    const [, , command = ''] = compose.services.nginx?.command ?? [];
    const [, edit = ''] = /(sed .*) \/nginx\.conf /.exec(command) ?? [];
    const edited = execFileSync('sh', ['-c', edit], { input: nginx, encoding: 'utf8' });
    expect(edited).toMatch(/^ *zone gateway 64k; resolver 127\.0\.0\.11 valid=5s;$/m);
    for (const [name] of nodes) expect(edited).toContain(`server ${name}:3000 resolve max_fails=1`);
  });

  it('publishes only nginx, on the loopback interface', () => {
    const shown = services.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
    expect(shown).toEqual([['nginx', '127.0.0.1:3000:80']]);
    for (const [name] of nodes) expect(nginx).toContain(`server ${name}:3000`);
  });
});

describe('container image', () => {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const all = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

  it('uses a pinned version of a supported Node.js image', () => {
    expect(all('ARG')).toEqual([expect.stringMatching(/^NODE=node:24\.\d+\.\d+-\w+-slim$/)]);
    expect(all('FROM')).toEqual([expect.stringContaining(' AS build'), expect.any(String)]);
  });

  it('runs as a non-root user and receives signals directly', () => {
    const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));
    expect(last).toContain('USER node');
    expect(lines.indexOf('USER node')).toBeLessThan(
      lines.findIndex((line) => line.startsWith('ENTRYPOINT ')),
    );
    for (const line of [...all('ENTRYPOINT'), ...all('CMD')])
      expect(JSON.parse(line)).not.toEqual([]);
    expect(all('ADD')).toEqual([]);
  });

  it('copies existing files that the ignore file admits', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    const copied = all('COPY')
      .filter((line) => !line.startsWith('--from'))
      .flatMap((line) => line.split(' ').slice(0, -1));
    expect(copied.length).toBeGreaterThan(8);
    for (const name of copied) {
      expect(isThere(name), name).toBe(true);
      expect(allowed, name).toContain(`!${name}`);
    }
  });

  it('sets only variables that the gateway reads', () => {
    expectKnown([...read('Dockerfile').matchAll(/\b(GATEWAY_\w+)=/g)].map(([, name = '']) => name));
  });
});

describe('systemd unit', () => {
  const unit = read('docs/deploy/gateway.service');
  const valuesOf = (name: string) =>
    [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

  it('gives a node enough time to stop', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(longestEndSec(8));
    expect(valuesOf('KillMode')).toEqual(['mixed']);
  });

  it('runs as a dedicated user that cannot gain privileges', () => {
    expect([
      valuesOf('User'),
      valuesOf('NoNewPrivileges'),
      valuesOf('CapabilityBoundingSet'),
    ]).toEqual([['gateway'], ['yes'], ['']]);
    expectKnown([...unit.matchAll(/\b(GATEWAY_[A-Z]+)=\//g)].map(([, name = '']) => name));
  });
});

const NGINX = '/usr/sbin/nginx';
if (env.CI && !existsSync(NGINX)) throw new Error(`${NGINX} is missing`);

test.skipIf(!existsSync(NGINX))('nginx accepts the example configuration', () => {
  const folder = tempFolder();
  const file = path.join(folder, 'nginx.conf');
  const own = nginx.replaceAll(/gateway\d:3000/g, '127.0.0.1:3000');
  writeFileSync(
    file,
    `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${own} }`,
  );
  // Messages go to stderr; an invalid file exits with an error status, which throws.
  execFileSync(NGINX, ['-t', '-q', '-e', 'stderr', '-p', folder, '-c', file], { stdio: 'pipe' });
  expect(statSync(file).size).toBeGreaterThan(nginx.length - 200);
});
