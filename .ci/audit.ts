/**
 * Known weaknesses of what we ship and build with: `npx tsx .ci/audit.ts`. High and critical ones fail,
 * unless `audit-allow.json` names the advisory, why it does not concern us, and until which day that
 * was looked at. The whole tree counts: what is bundled stands among the devDependencies.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const SERIOUS = new Set(['high', 'critical']);

interface Cause {
  readonly name: string;
  readonly severity: string;
  readonly title: string;
  readonly range: string;
  readonly url: string;
}

export interface Report {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: readonly (Cause | string)[] }>
  >;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

export interface Allowed {
  /** Its GHSA number. */
  readonly advisory: string;
  /** The last day on which it is, e.g. `2027-01-31`. */
  readonly until: string;
  readonly why: string;
}

/**
 * @param report what `npm audit --json` says
 * @param today `YYYY-MM-DD`
 * @returns lines about what must not be released; none is good
 */
export function findings(report: Report, allowed: readonly Allowed[], today: string): string[] {
  if (report.vulnerabilities === undefined)
    return [`npm gave no answer: ${report.error?.summary || report.message || 'no report'}`];
  const advisories = new Map(
    Object.values(report.vulnerabilities)
      .flatMap(({ via }) => via)
      .filter((cause) => typeof cause === 'object')
      .filter((cause) => SERIOUS.has(cause.severity))
      .map((cause) => [cause.url.split('/').at(-1), cause]),
  );
  const open = [...advisories].flatMap(([advisory, { severity, name, title, range }]) => {
    const known = allowed.find((row) => row.advisory === advisory);
    if (known !== undefined && known.until >= today) return [];
    const late = known === undefined ? '' : ` (looked at until ${known.until} only)`;
    return [`${severity}: ${name} ${range}: ${title}, ${advisory}${late}`];
  });
  const idle = allowed.filter(({ advisory }) => !advisories.has(advisory));
  return [...open, ...idle.map(({ advisory }) => `allowed, but no longer there: ${advisory}`)];
}

async function auditReport(): Promise<Report> {
  try {
    const { stdout } = await promisify(execFile)('npm', ['audit', '--json'], {
      maxBuffer: 2 ** 26,
    });
    return JSON.parse(stdout);
  } catch (error) {
    // npm ends with 1 when it found something; the report is the same.
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : '';
    return said.startsWith('{') ? JSON.parse(said) : { message: String(error) };
  }
}

if (process.argv[1] === import.meta.filename) {
  const text = await readFile(new URL('audit-allow.json', import.meta.url), 'utf8');
  const lines = findings(
    await auditReport(),
    JSON.parse(text),
    new Date().toISOString().slice(0, 10),
  );
  process.stdout.write(lines.length === 0 ? 'no serious advisory\n' : `${lines.join('\n')}\n`);
  process.exitCode = lines.length === 0 ? 0 : 1;
}
