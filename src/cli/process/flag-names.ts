/** Names the wrong fields of an input by the flags and arguments that set them. */
import { AppError } from '../../domain/errors/errors.ts';
import { joinedProblems } from '../../domain/errors/input-problems.ts';
import type { Command } from '../command.ts';

/** Flags that set a field of another name; the first given one is named, else the first. */
const FLAGS_OF_FIELD: Readonly<Record<string, readonly string[]>> = {
  allow_ips: ['ips'],
  expired_time: ['expires'],
  is_gift: ['gift'],
  key: ['key', 'key-env', 'key-file', 'key-stdin'],
  group: ['group', 'groups'],
  model_limits: ['models'],
  model_mapping: ['mapping'],
  model_prefix: ['prefix'],
  openai_organization: ['organization'],
  password: ['password-stdin'],
  quota: ['usd', 'quota'],
  remain_quota: ['usd', 'quota'],
  status_code_mapping: ['status-mapping'],
  unlimited_quota: ['unlimited'],
  valid_from: ['from'],
  valid_until: ['until'],
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
  const known = flags.map((flag) => /--([\w-]+)/.exec(flag)?.[1] ?? '');
  const nameOf = (field: string): string => {
    const own = field.replaceAll('_', '-');
    const flag = [own, ...(FLAGS_OF_FIELD[field] ?? [])].filter((name) => known.includes(name));
    const given = flag.find((name) => input[camelCase(name)] !== undefined) ?? flag[0];
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

function camelCase(flag: string): string {
  return flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
