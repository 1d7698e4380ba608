/**
 * A check of `gateway doctor` examines one thing and reports a finding; an exception in one check
 * does not affect the others.
 */
import type { AppError } from '../../domain/errors/errors.ts';
import { firstNames } from '../../domain/text/first-names.ts';
import { adviceText } from '../../locales/text.ts';
import type { Cli } from '../cli.ts';
import type { View } from '../output/render-reply.ts';

export const CHECK_VIEW: View = { columns: ['check', 'result', 'detail'], id: 'check' };

export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

export interface Check<Subject> {
  readonly name: string;
  readonly look: (subject: Subject, cli: Cli) => Finding | Promise<Finding>;
}

export type CheckRow = Finding & { readonly check: string };

export const passed = (detail = ''): Finding => ({ result: 'ok', detail });
export const warning = (detail: string): Finding => ({ result: 'warning', detail });
export const failed = (detail: string): Finding => ({ result: 'failed', detail });

/** Passes without names; otherwise the text `key` lists the first of them. */
export function naming(
  names: readonly string[],
  found: (detail: string) => Finding,
  { t }: Pick<Cli, 't'>,
  key: string,
): Finding {
  return names.length === 0 ? passed() : found(t(key, { names: firstNames(names) }));
}

export async function runChecks<S>(
  checks: readonly Check<S>[],
  subject: S,
  cli: Cli,
): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  for (const { name, look } of checks) {
    try {
      rows.push({ check: name, ...(await look(subject, cli)) });
    } catch (error) {
      rows.push({ check: name, ...failedWith(await cli.errorOf(error), cli) });
    }
  }
  return rows;
}

export function failedWith(error: AppError, { language }: Cli): Finding {
  return failed(adviceText(error, language));
}
