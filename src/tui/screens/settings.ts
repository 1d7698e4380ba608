/** Adds and edits objects with the commands `create` and `edit`: in a form, or in an editor. */
import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Values } from '../../session/values.ts';
import { yamlText, yamlValue } from '../../session/yaml.ts';
import type { FormField } from '../model/overlay.ts';
import type { Action, ActionContext, ReplyRow } from './screen.ts';
import { change, rowChange } from './shared-actions.ts';

/** A value of an object that a flag of its commands sets. */
export interface Setting<Row> extends SettingDetails {
  readonly flag: string;
  /** Its label under `tui.columns`. */
  readonly label: string;
  /** The value now; undefined: only for a new object. */
  readonly of: ((row: Row) => string | number) | undefined;
}

interface SettingDetails {
  /** The proposed value of a new object; absent: it is not asked for. */
  readonly fresh?: string;
  /** A key under `tui.hints`, and another one for existing objects. */
  readonly hint?: string;
  readonly editHint?: string;
  /** Passed on standard input, and never shown. */
  readonly isSecret?: true;
  /** Not in the form: a value that is rarely changed, or long. */
  readonly isInEditor?: true;
  /** The verb that changes it, if that is not `edit`. */
  readonly verb?: string;
  /** The arguments, if they are not the flag and its value. */
  readonly args?: (value: string, read: Values) => readonly string[];
}

export function setting<Row>(
  flag: string,
  label: string,
  of: Setting<Row>['of'],
  more: SettingDetails = {},
): Setting<Row> {
  return { flag, label, of, ...more };
}

export interface Commands<Row> {
  /** The noun of the commands. */
  readonly command: 'channel' | 'token' | 'user' | 'redemption';
  readonly nameOf: (row: Row) => string;
  readonly get: (api: LocalApi, id: number) => Promise<Row>;
  /** The calls, with an edit that the server refuses if the row was changed by others. */
  readonly guarded?: (api: LocalApi, row: Row) => LocalApi;
  readonly settings: readonly Setting<Row>[];
}

type Typed = Readonly<Record<string, string>>;

/** Adds and edits objects: `a`, `e` and `v`. */
export function formActions<Row extends { readonly id: number }>(
  commands: Commands<Row>,
  addition: Addition,
): readonly Action<Row>[] {
  return [addAction(commands, addition), editAction(commands), editorAction(commands)];
}

/** `a`: asks for the values of a new object; `done` gets what was created. */
function addAction<Row>(
  { command, settings }: Commands<Row>,
  { title, name = 'add', done }: Addition,
): Action<Row> {
  return change('a', name, 'none', async (context) => {
    const asked = settings.filter(({ fresh }) => fresh !== undefined);
    const fields = asked.map((each) => fieldOf(context, each, each.fresh ?? '', each.hint));
    let made: readonly ReplyRow[] = [];
    const isMade = await context.form(context.t(title), fields, async (values) => {
      // A command would read a missing secret from the terminal.
      const given = asked.filter((each) => each.isSecret || values[each.flag] !== '');
      made = await context.run([command, 'create', ...argsOf(context, given, values)], {
        stdin: inputOf(given, values),
      });
    });
    if (!isMade) return;
    context.refresh();
    await done?.(context, made);
  });
}

interface Addition {
  /** Locale key. */
  readonly title: string;
  readonly name?: string;
  readonly done?: (context: ActionContext, made: readonly ReplyRow[]) => Promise<void>;
}

/** `e`: a form with the most common values. */
function editAction<Row extends { readonly id: number }>(commands: Commands<Row>): Action<Row> {
  return rowChange('e', 'edit', async (context, row) => {
    const shown = commands.settings.filter(({ of, isInEditor }) => of && !isInEditor);
    const fields = shown.map((each) =>
      fieldOf(context, each, each.of?.(row) ?? '', each.editHint ?? each.hint),
    );
    const title = context.t('tui.dialog.edit', { name: commands.nameOf(row) });
    const isSaved = await context.form(title, fields, (values) =>
      save(context, commands, row, values),
    );
    if (isSaved) context.refresh();
  });
}

/** `v`: all values but secrets, as YAML in the user's editor. */
function editorAction<Row extends { readonly id: number }>(commands: Commands<Row>): Action<Row> {
  return rowChange('v', 'editor', async (context, row) => {
    const { values: read, t } = context;
    const title = `${commands.nameOf(row)} (#${row.id})`;
    const shown = commands.settings.filter(({ of, isSecret }) => of && !isSecret);
    const before = Object.fromEntries(shown.map((each) => [wordOf(each.flag), each.of?.(row)]));
    const edited = yamlValue(await context.edit(`# ${title}\n${yamlText(before)}`, 'yaml'));
    if (typeof edited !== 'object' || edited === null || Array.isArray(edited))
      throw read.refuse('YAML', 'yaml');
    const known = Object.keys(before);
    const unknown = Object.keys(edited).find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw read.refuse('YAML', 'unknown_field', { field: unknown, known });
    const changed = Object.entries(edited).filter(([name, value]) => value !== before[name]);
    if (changed.length === 0) return context.showMessage(t('tui.messages.unchanged'));
    const body = changed.flatMap(([name, value]) => [
      `- ${name}: ${before[name]}`,
      `+ ${name}: ${value ?? ''}`,
    ]);
    const verb = t('tui.dialog.save_verb');
    if (!(await context.confirm({ title: t('tui.dialog.save', { name: title }), body, verb })))
      return;
    const values = changed.map(([name, value]) => [`--${name}`, String(value ?? '')]);
    await save(context, commands, row, Object.fromEntries(values));
    context.refresh();
  });
}

/** Writes the values that differ, unless others changed them, with one command per verb. */
async function save<Row extends { readonly id: number }>(
  context: ActionContext,
  { command, settings, nameOf, get, guarded }: Commands<Row>,
  row: Row,
  values: Typed,
): Promise<void> {
  const changed = settings.filter(({ flag, of }) => {
    const value = values[flag];
    return of !== undefined && value !== undefined && value !== String(of(row));
  });
  if (changed.length === 0) context.showMessage(context.t('tui.messages.unchanged'));
  const now = await get(context.api, row.id);
  if (changed.some(({ of }) => of?.(now) !== of?.(row)))
    throw new AppError('changed_meanwhile', { what: nameOf(row) });
  const verbs = new Set(changed.map(({ verb = 'edit' }) => verb));
  for (const word of verbs) {
    const own = changed.filter(({ verb = 'edit' }) => verb === word);
    const argv = [command, word, String(row.id), ...argsOf(context, own, values)];
    const api = guarded?.(context.api, row) ?? context.api;
    await context.run(argv, { stdin: inputOf(own, values), api });
  }
}

function argsOf<Row>(
  { values: read }: ActionContext,
  settings: readonly Setting<Row>[],
  values: Typed,
): readonly string[] {
  return settings.flatMap(({ flag, isSecret, args }) => {
    const value = values[flag] ?? '';
    return args?.(value, read) ?? (isSecret ? [flag] : [flag, value]);
  });
}

function inputOf<Row>(settings: readonly Setting<Row>[], values: Typed): string {
  const secret = settings.find(({ isSecret }) => isSecret);
  return secret === undefined ? '' : (values[secret.flag] ?? '');
}

function fieldOf<Row>(
  { t }: ActionContext,
  { flag, label, isSecret }: Setting<Row>,
  value: string | number,
  hint: string | undefined,
): FormField {
  return {
    name: flag,
    label: t(`tui.columns.${label}`),
    value: String(value),
    ...(isSecret && { secret: true }),
    ...(hint !== undefined && { hint: t(`tui.hints.${hint}`) }),
  };
}

function wordOf(flag: string): string {
  return flag.replace('--', '');
}
