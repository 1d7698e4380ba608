/**
 * Checks the GitHub workflows that may publish: pinned actions, least privilege, no persisted
 * credentials.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly uses?: string;
  readonly steps?: readonly Step[];
  readonly 'timeout-minutes'?: number;
  readonly environment?: string;
  readonly strategy?: { readonly matrix: Readonly<Record<string, readonly string[]>> };
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const FOLDER = new URL('../../.github/workflows/', import.meta.url);
const FILES = readdirSync(FOLDER).map((file) => {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  return { file, text, workflow: parse(text) as Workflow };
});
const JOBS = FILES.flatMap(({ file, workflow }) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${file}, ${name}`, job })),
);
/** Jobs with more than read permission, and which ones. */
const MORE_RIGHTS: Readonly<Record<string, readonly string[]>> = {
  'release.yml, package': ['attestations', 'id-token'],
  'release.yml, publish': ['id-token'],
  'release.yml, announce': ['contents'],
};

describe.each(FILES)('workflow $file', ({ text, workflow }) => {
  it('grants no default permissions and has no trigger that gives rights to foreign code', () => {
    expect(workflow.permissions).toEqual({});
    expect(Object.keys(workflow.on)).not.toContain('pull_request_target');
    expect(Object.keys(workflow.on)).not.toContain('workflow_run');
    expect(text).not.toMatch(/secrets\./);
  });

  it('pins every action to a commit, with the version in a comment', () => {
    for (const line of text.match(/uses: .*/g) ?? [])
      expect(line).toMatch(/^uses: (\.\/\.github\/|[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$)/);
  });
});

describe.each(JOBS)('job $title', ({ title, job }) => {
  it('has only the permissions that it needs', () => {
    const writes = Object.entries(job.permissions ?? { all: 'write' })
      .filter(([, right]) => right !== 'read')
      .map(([name]) => name);
    expect(writes.sort()).toEqual(MORE_RIGHTS[title] ?? []);
    if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0);
  });

  it('does not insert expressions into shell scripts or persist credentials', () => {
    for (const step of job.steps ?? []) {
      expect(step.run ?? '').not.toContain('${{');
      if (step.uses?.startsWith('actions/checkout@'))
        expect(step.with).toMatchObject({ 'persist-credentials': false });
    }
  });
});

test('the nightly workflow runs every part of .ci/nightly', () => {
  const script = readFileSync(new URL('../../.ci/nightly', import.meta.url), 'utf8');
  const parts = /^parts=\((.*)\)$/m.exec(script)?.[1]?.split(' ');
  const nightly = FILES.find(({ file }) => file === 'nightly.yml')?.workflow.jobs.parts;
  expect(parts).toContain('chaos');
  expect(nightly?.strategy?.matrix.part).toEqual(parts);
});

describe('release workflow', () => {
  const release = FILES.find(({ file }) => file === 'release.yml')?.workflow;
  const runs = (name: string) =>
    (release?.jobs[name]?.steps ?? []).map(({ run }) => run).join('\n');

  it('runs on a tag after the gate and the audit, and publishes in a separate job', () => {
    expect(release?.on).toEqual({ push: { tags: ['v*'] } });
    expect(release?.jobs.gate?.uses).toBe('./.github/workflows/ci.yml');
    expect(runs('package')).toMatch(/release-check[\s\S]*audit\.ts[\s\S]*npm pack[\s\S]*npm sbom/);
    expect(runs('publish')).toMatch(/sha256sum --check[\s\S]*npm publish .*--provenance/);
    // The publishing job has no access to the sources or their packages.
    expect(runs('publish')).not.toContain('npm ci');
    expect(release?.jobs.publish?.environment).toBe('npm');
    const needs = Object.values(release?.jobs ?? {}).map((job) => Reflect.get(job, 'needs'));
    expect(needs).toEqual([undefined, 'gate', 'package', 'publish']);
  });
});
