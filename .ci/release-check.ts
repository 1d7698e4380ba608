/**
 * Whether this checkout may become a release: `npx tsx .ci/release-check.ts`, also before every
 * `npm publish`. Only the release workflow, on a tag of the very version, gives the package its proof
 * of origin.
 */
import { readFile } from 'node:fs/promises';
import process, { env } from 'node:process';

interface Manifest {
  readonly version: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * @param manifest package.json
 * @param changelog CHANGELOG.md
 * @returns what stands in the way; nothing is good
 */
export function obstacles(
  manifest: Manifest,
  changelog: string,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const { version, repository } = manifest;
  const { GITHUB_ACTIONS, GITHUB_REF_NAME, GITHUB_REPOSITORY } = env;
  if (GITHUB_ACTIONS !== 'true')
    return ['releases are made by the workflow "release": push a tag instead'];
  const address = typeof repository === 'string' ? repository : (repository?.url ?? '');
  const isOwn = address.replace(/\.git$/, '').endsWith(`github.com/${GITHUB_REPOSITORY}`);
  return [
    ...(GITHUB_REF_NAME === `v${version}` ? [] : [`the tag ${GITHUB_REF_NAME} is not v${version}`]),
    ...(changelog.includes(`## [${version}]`) ? [] : [`CHANGELOG.md says nothing of ${version}`]),
    // npm compares the two before it takes a proof of origin.
    ...(isOwn ? [] : [`"repository" in package.json is not github.com/${GITHUB_REPOSITORY}`]),
  ];
}

if (process.argv[1] === import.meta.filename) {
  const [manifest = '', changelog = ''] = await Promise.all(
    ['package.json', 'CHANGELOG.md'].map((file) =>
      readFile(new URL(`../${file}`, import.meta.url), 'utf8'),
    ),
  );
  const found = obstacles(JSON.parse(manifest), changelog, env);
  for (const line of found) process.stderr.write(`${line}\n`);
  process.exitCode = found.length === 0 ? 0 : 1;
}
