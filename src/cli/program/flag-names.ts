/** Names the wrong fields of an input by the flags and arguments that set them. */
import { AppError } from '../../domain/errors/errors.ts';
import { joinedProblems } from '../../domain/errors/input-problems.ts';
import { CHANNEL } from '../../domain/nouns/channel.ts';
import type { NounColumns } from '../../domain/nouns/columns.ts';
import { REDEMPTION, REDEMPTION_USE } from '../../domain/nouns/redemption.ts';
import { TOKEN } from '../../domain/nouns/token.ts';
import { type Command, flagName, inputName } from '../command.ts';

/** Flags that set a field of another name; the first given one is named, else the first. */
const FLAGS_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  ...flagsOfColumns({ ...CHANNEL, ...TOKEN, ...REDEMPTION, ...REDEMPTION_USE }),
  key: ['key', 'key-env', 'key-file', 'key-stdin'],
  group: ['group', 'groups'],
  password: ['password-stdin'],
  quota: ['usd', 'quota'],
  remain_quota: ['usd', 'quota'],
};

/**
 * The error with flags in place of fields, where the command has such a flag. Paths into documents
 * stay as they are.
 */
export function namedByFlags(
  error: AppError,
  { flags, usage }: Command,
  input: Readonly<Record<string, unknown>>,
): AppError {
  const known = flags.map(flagName);
  const nameOf = (field: string): string => {
    const own = field.replaceAll('_', '-');
    const flag = [own, ...(FLAGS_OF_FIELD[field] ?? [])].filter((name) => known.includes(name));
    const given = flag.find((name) => input[inputName(name)] !== undefined) ?? flag[0];
    if (given !== undefined) return `--${given}`;
    return usage.includes(`<${own}>`) ? `<${own}>` : field;
  };
  const [first, ...more] = error.problems.map((problem) => renamed(problem, nameOf));
  return first === undefined ? error : joinedProblems(first, more);
}

function renamed(error: AppError, nameOf: (field: string) => string): AppError {
  const { code, params, param, cause } = error;
  const name = param === undefined ? undefined : nameOf(param);
  if (name === undefined || name === param || params.field === undefined) return error;
  return new AppError(code, { ...params, field: name }, { param: name, cause });
}

function flagsOfColumns(columns: NounColumns): Record<string, readonly string[]> {
  const rows = Object.entries(columns);
  return Object.fromEntries(rows.map(([column, { flag = '' }]) => [column, [flagName(flag)]]));
}
