/** Licences and known vulnerabilities of the dependencies, and the preconditions of a release. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findings } from '../../.ci/audit.ts';
import { obstacles } from '../../.ci/release-check.ts';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'));

/** Licences that require only attribution. */
const PERMISSIVE = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Python-2.0',
]);

interface Installed {
  readonly license?: string;
  readonly dev?: boolean;
  readonly resolved?: string;
  readonly integrity?: string;
}
const INSTALLED: Readonly<Record<string, Installed>> = read('package-lock.json').packages;

/** Build and test tools, which are not part of the package. */
const TOOLS_ONLY: readonly string[] = ['axe-core: MPL-2.0, true', 'lightningcss: MPL-2.0, true'];

/** The package name without the platform suffix of a binary. */
function nameOf(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return name.replace(/-(android|darwin|freebsd|linux|win32)-.*$/, '');
}

function isPermissive(license: string): boolean {
  const [, inner = license] = /^\((.*)\)$/.exec(license) ?? [];
  if (inner.includes(' OR ')) return inner.split(' OR ').some((one) => isPermissive(one.trim()));
  return inner.split(' AND ').every((one) => PERMISSIVE.has(one.trim()));
}

const REGISTRY = 'https://registry.npmjs.org/';

describe('dependencies', () => {
  const others = Object.entries(INSTALLED).filter(([folder]) => folder !== '');

  it('have a permissive licence, except listed build tools', () => {
    const doubtful = others
      .filter(([, { license = 'none' }]) => !isPermissive(license))
      .map(([folder, { license = 'none', dev }]) => `${nameOf(folder)}: ${license}, ${dev}`);
    expect([...new Set(doubtful)].sort()).toEqual(TOOLS_ONLY);
  });

  it('come from the npm registry and have a SHA-512 integrity hash', () => {
    const loose = others.filter(
      ([, { resolved, integrity }]) =>
        // Without a URL the package comes from the registry.
        !(resolved ?? REGISTRY).startsWith(REGISTRY) || !integrity?.startsWith('sha512-'),
    );
    expect(loose.map(([folder]) => folder)).toEqual([]);
  });

  it('have an exact version in package.json', () => {
    const { dependencies, devDependencies, optionalDependencies } = read('package.json');
    for (const version of Object.values({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
    }))
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  });
});

describe('dependency audit', () => {
  const advisory = (severity: string) => ({
    vulnerabilities: {
      left: {
        via: [
          {
            name: 'left',
            severity,
            title: 'Pads too far',
            url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc',
            range: '<2',
          },
          'right',
        ],
      },
      right: { via: ['left'] },
    },
  });
  const allowed = (until: string) => [{ advisory: 'GHSA-aaaa-bbbb-cccc', until, why: 'unused' }];

  it('reports high and critical advisories without a current exception', () => {
    expect(findings(advisory('high'), [], '2026-11-21')).toEqual([
      'high: left <2: Pads too far, GHSA-aaaa-bbbb-cccc',
    ]);
    expect(findings(advisory('critical'), allowed('2026-11-21'), '2026-11-21')).toEqual([]);
    expect(findings(advisory('critical'), allowed('2026-11-20'), '2026-11-21')).toHaveLength(1);
    expect(findings(advisory('moderate'), [], '2026-11-21')).toEqual([]);
    expect(findings({ vulnerabilities: {} }, allowed('2027-01-01'), '2026-11-21')).toEqual([
      'allowed, but no longer there: GHSA-aaaa-bbbb-cccc',
    ]);
  });

  it('reports an npm error as a finding', () => {
    expect(findings({ message: '405 Method Not Allowed' }, [], '2026-11-21')).toEqual([
      'npm gave no answer: 405 Method Not Allowed',
    ]);
  });

  it('gives an expiry date and a reason for every exception', () => {
    for (const row of read('.ci/audit-allow.json')) {
      expect(row.advisory).toMatch(/^GHSA(-[0-9a-z]{4}){3}$/);
      expect(row.until).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(row.why.length).toBeGreaterThan(10);
    }
  });
});

describe('release check', () => {
  const manifest = { version: '1.2.3', repository: { url: 'git+https://github.com/o/r.git' } };
  const env = { GITHUB_ACTIONS: 'true', GITHUB_REF_NAME: 'v1.2.3', GITHUB_REPOSITORY: 'o/r' };

  it('requires the version of the tag, a changelog entry and the declared repository', () => {
    expect(obstacles(manifest, '## [1.2.3] - 2026-11-21', env)).toEqual([]);
    expect(obstacles(manifest, '', { ...env, GITHUB_REF_NAME: 'v1.2.4' })).toHaveLength(2);
    expect(obstacles({ version: '1.2.3' }, '## [1.2.3]', env)).toHaveLength(1);
    expect(obstacles(manifest, '## [1.2.3]', { ...env, GITHUB_REPOSITORY: 'evil/r' })).toHaveLength(
      1,
    );
    expect(obstacles(manifest, '## [1.2.3]', {})).toHaveLength(1);
  });
});
