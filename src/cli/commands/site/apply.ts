/** `gateway plan`, `apply` and `export`: manage the whole site as one document. */
import { writeFile } from 'node:fs/promises';
import { AppError } from '../../../domain/errors/errors.ts';
import { errorText, listText } from '../../../locales/text.ts';
import type { Cli } from '../../cli.ts';
import { type Command, command, type FlagsOf, type Noun } from '../../command.ts';
import { EXIT, type ExitCode } from '../../process/exit-codes.ts';
import { withWriteErrors } from '../../process/write-failure.ts';
import type { Section, SiteFile } from '../../site-file/document.ts';
import type { SitePlan } from '../../site-file/plan.ts';
import type { StepResults } from '../../site-file/run.ts';
import type { Step } from '../../site-file/step.ts';

/** Default time for unavailable channels to recover. */
const WAIT = '2m';

const PLAN_FLAGS = [
  '-f, --file <file>',
  '--only <kinds>',
  '--prune',
  '--tag <tag>',
  '--allow-mass-delete',
  '--rewrite-secrets',
] as const;

type Given = FlagsOf<(typeof PLAN_FLAGS)[number]>;

export const plan: Noun = {
  name: 'plan',
  verbs: [
    command({
      usage: 'plan',
      flags: [...PLAN_FLAGS, '--exit-code'],
      examples: [
        'plan -f site.yaml',
        'plan -f site.yaml --exit-code',
        'plan -f - --json < site.json',
      ],
      run: printPlan,
    }),
  ],
};

/** Prints the planned changes; with `exitCode`, differences give exit status 9. */
export async function printPlan(
  cli: Cli,
  { exitCode = false, ...given }: Given & { readonly exitCode?: boolean },
): Promise<ExitCode> {
  const { steps, massDelete } = await planned(cli, given, await documentOf(cli, given));
  await showPlan(cli, steps, massDelete);
  return exitCode ? driftOf(steps) : EXIT.ok;
}

/** Builds `apply` for all kinds, or for the kind of one noun. */
export function applyCommand(only: Section | undefined, examples: readonly string[]): Command {
  return command({
    usage: 'apply',
    flags: [
      ...PLAN_FLAGS,
      '--revision <revision>',
      '--report <file>',
      '--exit-code',
      '--test',
      '--wait',
    ],
    examples,
    ownsSignal: true,
    ownsTimeout: true,
    async run(cli, { exitCode = false, test = false, wait = false, revision, report, ...flags }) {
      const waitMs = wait ? cli.values.duration('--timeout', cli.globals.timeout ?? WAIT) : 0;
      const given = { ...flags, ...(only && { only }) };
      if (cli.globals.dryRun) return printPlan(cli, { ...given, exitCode });
      const { inTurn } = await import('../../site-file/turn.ts');
      return reporting(cli, report, async () => {
        const document = await documentOf(cli, given);
        const exit = await inTurn(cli, (signal) =>
          applied(cli, { ...given, revision, report }, document, signal),
        );
        if (exit !== EXIT.ok || !(test || wait)) return exit;
        const { testChannels } = await import('../../site-file/check.ts');
        return testChannels(cli, document.file.channels ?? [], waitMs);
      });
    },
  });
}

/** Plans in the turn, so that the plan is of the site that it changes. */
async function applied(
  cli: Cli,
  given: Given & Record<'revision' | 'report', string | undefined>,
  document: Document,
  signal: AbortSignal,
): Promise<ExitCode> {
  const { steps, massDelete } = await planned(cli, given, document);
  if (massDelete !== undefined) throw massDelete;
  await requireRevision(steps, given.revision);
  await confirmChanges(cli, steps);
  const [{ runSteps }, { planDocumentOf }] = await Promise.all([
    import('../../site-file/run.ts'),
    import('../../site-file/show.ts'),
  ]);
  const done = await runSteps(cli, steps, signal);
  const results = { ...planDocumentOf(steps), items: done.items };
  await cli.print(results, { columns: ['action', 'noun', 'name', 'result'], id: 'name' });
  await writeReport(given.report, { ...results, failures: done.failures });
  sayWarnings(cli, steps);
  if (done.isInterrupted) cli.note(cli.t('cli.notes.interrupted'));
  if (signal.reason instanceof AppError) cli.note(errorText(signal.reason, cli.language));
  return resultCode(done);
}

/** @throws AppError `plan_changed` unless this is the plan that was shown. */
async function requireRevision(steps: readonly Step[], wanted: string | undefined): Promise<void> {
  if (wanted === undefined) return;
  const { revisionOf } = await import('../../site-file/show.ts');
  const revision = revisionOf(steps);
  if (revision !== wanted) throw new AppError('plan_changed', { wanted, revision });
}

export const apply: Noun = {
  name: 'apply',
  verbs: [
    applyCommand(undefined, [
      'apply -f site.yaml',
      'apply -f site.yaml --dry-run --exit-code',
      'apply -f site.yaml --yes --report report.json',
      'apply -f site.yaml --prune --tag managed --yes --wait --timeout 2m',
    ]),
  ],
};

/** Builds `export` for the kinds in `--only`, or for the kind of one noun. */
export function exportCommand(only: Section | undefined, examples: readonly string[]): Command {
  const flags: readonly ('--only <kinds>' | '--keys')[] =
    only === undefined ? ['--only <kinds>', '--keys'] : [];
  return command({
    usage: 'export',
    flags,
    examples,
    async run(cli, { keys = false, ...given }) {
      const [{ siteFile }, { yamlText }, api, kinds] = await Promise.all([
        import('../../site-file/export.ts'),
        import('../../../session/yaml.ts'),
        cli.api(),
        kindsOf(cli, only ?? given.only),
      ]);
      const document = await siteFile(cli, api, { only: kinds, keys });
      cli.io.out(
        cli.format() === 'json' ? `${JSON.stringify(document, null, 2)}\n` : yamlText(document),
      );
    },
  });
}

export const exportSite: Noun = {
  name: 'export',
  verbs: [
    exportCommand(undefined, [
      'export > site.yaml',
      'export --only channels,groups --json',
      'export --keys > secret.yaml',
    ]),
  ],
};

interface Document {
  readonly file: SiteFile;
  readonly text: string;
}

/** Read before the site is opened. */
async function documentOf(cli: Cli, given: Given): Promise<Document> {
  if (given.prune && given.tag === undefined)
    throw cli.values.refuse('--prune', 'needs', { other: '--tag' });
  const { readSiteFile } = await import('../../site-file/read.ts');
  const document = await readSiteFile(cli, given.file);
  if (given.prune && document.file.channels === undefined)
    cli.note(cli.t('cli.notes.nothing_to_prune'));
  return document;
}

async function planned(cli: Cli, given: Given, { file, text }: Document): Promise<SitePlan> {
  const [{ namingLocations }, { planOf }, only] = await Promise.all([
    import('../../site-file/error-locations.ts'),
    import('../../site-file/plan.ts'),
    kindsOf(cli, given.only),
  ]);
  const options = {
    only,
    prunedTag: given.prune ? given.tag : undefined,
    rewritesSecrets: given.rewriteSecrets === true,
  };
  const api = await cli.api();
  const { steps, massDelete } = await namingLocations(text, cli.t, () =>
    planOf(cli, api, file, options),
  );
  return { steps, massDelete: given.allowMassDelete ? undefined : massDelete };
}

async function driftOf(steps: readonly Step[]): Promise<ExitCode> {
  const { isChange } = await import('../../site-file/step.ts');
  return steps.some(isChange) ? EXIT.checkFailed : EXIT.ok;
}

async function kindsOf(cli: Cli, only: string | undefined): Promise<readonly Section[]> {
  const { SECTIONS } = await import('../../site-file/document.ts');
  if (only === undefined) return SECTIONS;
  return cli.values.list(only).map((kind) => cli.values.choice('--only', kind, SECTIONS));
}

/** @param massDelete the error with which `apply` would refuse the plan. */
async function showPlan(
  cli: Cli,
  steps: readonly Step[],
  massDelete: SitePlan['massDelete'],
): Promise<void> {
  const { planDocumentOf, planTextOf } = await import('../../site-file/show.ts');
  cli.printDocument(planDocumentOf(steps), () => planTextOf(steps));
  sayWarnings(cli, steps);
  if (massDelete !== undefined) cli.note(errorText(massDelete, cli.language));
}

function sayWarnings(cli: Cli, steps: readonly Step[]): void {
  for (const message of steps.flatMap(({ warnings = [] }) => warnings))
    cli.note(cli.t('cli.notes.warning', { message }));
}

/** Shows the plan on a terminal and asks; elsewhere a change needs `--yes`. */
async function confirmChanges(cli: Cli, steps: readonly Step[]): Promise<void> {
  const lines = steps.flatMap(({ lines }) => lines).filter(({ action }) => action !== 'same');
  if (lines.length === 0 || cli.globals.yes) return;
  const { planText } = await import('../../output/dry-run-plan.ts');
  if (cli.mayAsk()) cli.io.err(lines.map(planText).join(''));
  const gone = lines.filter(({ action }) => action === 'delete').map(({ name }) => name);
  if (gone.length === 0)
    return cli.confirm('apply', cli.t('cli.loses.apply', { count: lines.length }));
  await cli.confirm(`apply --prune: ${listText(gone, cli.t)}`, cli.t('cli.loses.channel'));
}

/** Keeps the results for later, whatever the terminal shows. */
async function writeReport(path: string | undefined, report: object): Promise<void> {
  if (path === undefined) return;
  const text = `${JSON.stringify(report, null, 2)}\n`;
  await withWriteErrors(path, () => writeFile(path, text, { mode: 0o600 }));
}

/** The same for a command that ends with an error. */
async function reporting<T>(
  cli: Cli,
  path: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const errors = error.problems.map((problem) => ({
      code: problem.code,
      message: errorText(problem, cli.language),
    }));
    await writeReport(path, { changed: false, items: [], total: 0, errors });
    throw error;
  }
}

function resultCode({ failures, isInterrupted, count }: StepResults): ExitCode {
  if (isInterrupted) return EXIT.interrupted;
  if (failures === 0) return EXIT.ok;
  return count > failures ? EXIT.partly : EXIT.refused;
}
