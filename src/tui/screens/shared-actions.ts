/** Helpers shared by the actions of several screens. */
import { yamlText, yamlValue } from '../../session/yaml.ts';
import type { FormField } from '../model/overlay.ts';
import type { Action, ActionContext } from './screen.ts';

/** `role` is the minimum role. */
export function action<Row>(
  key: string,
  name: string,
  on: Action<Row>['on'],
  run: Action<Row>['run'],
  more: { readonly role?: number } = {},
): Action<Row> {
  return { key, name, on, run, ...more };
}

/** A writing action, not available with `--read-only`. */
export function change<Row>(...row: Parameters<typeof action<Row>>): Action<Row> {
  return { ...action(...row), writes: true };
}

const NAMES_SHOWN = 8;
const AT_ONCE = 4;

/** `a, b, c` and how many more of `count`, if not all names are listed. */
export function namesText(
  names: readonly string[],
  { t }: ActionContext,
  count = names.length,
): string {
  const shown = names.slice(0, NAMES_SHOWN);
  const more = count - shown.length;
  const text = shown.join(', ');
  return more > 0 ? t('tui.words.and_more', { names: text, count: more }) : text;
}

/** Confirms a deletion, listing the names; for several objects their number must be typed. */
export function confirmLoss(
  context: ActionContext,
  noun: string,
  names: readonly string[],
  consequence: string,
): Promise<boolean> {
  const { t } = context;
  return context.confirm({
    title: t('tui.dialog.delete', { count: names.length, noun: t(`tui.nouns.${noun}`) }),
    body: [namesText(names, context), consequence],
    verb: t('tui.dialog.delete_verb'),
    ...(names.length > 1 && { count: names.length }),
  });
}

/** Runs up to four calls at once, in order; rejects with the first error once all are done. */
export async function each<T>(items: readonly T[], run: (item: T) => Promise<unknown>) {
  const waiting = [...items];
  let failure: { readonly error: unknown } | undefined;
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await run(item).catch((error: unknown) => {
        failure ??= { error };
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  if (failure !== undefined) throw failure.error;
}

export type Fields = Readonly<Record<string, unknown>>;

/** Opens the fields in the user's editor; returns the changed ones, or undefined. */
export async function editedFields(
  context: ActionContext,
  title: string,
  fields: Fields,
): Promise<Fields | undefined> {
  const edited = yamlValue(await context.edit(`# ${title}\n${yamlText(fields)}`, 'yaml'));
  if (typeof edited !== 'object' || edited === null || Array.isArray(edited))
    throw context.values.refuse('YAML', 'yaml');
  const unknown = Object.keys(edited).find((name) => !(name in fields));
  if (unknown !== undefined) {
    const known = Object.keys(fields).join(', ');
    throw context.values.refuse('YAML', 'unknown_field', { field: unknown, known });
  }
  const changed = Object.entries(edited).filter(([name, value]) => value !== fields[name]);
  if (changed.length === 0) {
    context.say(context.t('tui.say.unchanged'));
    return undefined;
  }
  const body = changed.flatMap(([name, value]) => [
    `- ${name}: ${String(fields[name])}`,
    `+ ${name}: ${String(value)}`,
  ]);
  const verb = context.t('tui.dialog.save_verb');
  const isSure = await context.confirm({
    title: context.t('tui.dialog.save', { name: title }),
    body,
    verb,
  });
  return isSure ? Object.fromEntries(changed) : undefined;
}

/** A form field, labeled with its column's name. */
export function field(
  { t }: Pick<ActionContext, 't'>,
  name: string,
  value: string | number = '',
  more: Partial<FormField> = {},
): FormField {
  return { name, label: t(`tui.columns.${name}`), value: String(value), ...more };
}

/** The hint below a form field. */
export function hint({ t }: Pick<ActionContext, 't'>, name: string): { readonly hint: string } {
  return { hint: t(`tui.hints.${name}`) };
}
