/** `gateway doctor`: finds problems and suggests fixes. */
import type { AppError } from '../../../domain/errors/errors.ts';
import { CHECK_VIEW, type CheckRow, failedWith, passed, runChecks } from '../../checks/check.ts';
import type { Cli } from '../../cli.ts';
import { command, type Noun } from '../../command.ts';
import { EXIT } from '../../process/exit-codes.ts';

const run = command({
  usage: 'doctor',
  examples: ['doctor', 'doctor --json'],
  async run(cli) {
    const findings = await examine(cli);
    await cli.print(findings, CHECK_VIEW);
    return findings.some(({ result }) => result === 'failed') ? EXIT.checkFailed : EXIT.ok;
  },
});

/** Each check catches its own failures, so one does not hide the others. */
async function examine(cli: Cli): Promise<CheckRow[]> {
  const isRemote = (await cli.server()) !== undefined;
  const rows: CheckRow[] = [];
  if (!isRemote) {
    const config = await cli.config().catch((error: unknown) => cli.errorOf(error));
    if (config instanceof Error) return [{ check: 'config', ...failedWith(config, cli) }];
    const { MACHINE_CHECKS } = await import('../../checks/machine.ts');
    rows.push({ check: 'config', ...passed() });
    rows.push(...(await runChecks(MACHINE_CHECKS, config, cli)));
  }
  const session = await cli.session().catch((error: unknown) => cli.errorOf(error));
  if (session instanceof Error)
    return [...rows, { check: placeOf(session, isRemote), ...failedWith(session, cli) }];
  const { ctx, location } = session;
  if (ctx === undefined) rows.push({ check: 'server', ...passed(location) });
  else {
    rows.push({ check: 'database', ...passed(ctx.engine) });
    const { DATABASE_CHECKS } = await import('../../checks/database.ts');
    rows.push(...(await runChecks(DATABASE_CHECKS, { ...session, ctx }, cli)));
  }
  const { SITE_CHECKS } = await import('../../checks/site.ts');
  return [...rows, ...(await runChecks(SITE_CHECKS, session, cli))];
}

/** The resource on which opening the session failed. */
function placeOf({ param }: AppError, isRemote: boolean): string {
  if (isRemote) return 'server';
  return param === 'redisUrl' ? 'redis' : 'database';
}

export const doctor: Noun = { name: 'doctor', verbs: [run] };
