/** Commands that are the same for every noun whose objects are given by name or id. */

import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { type Command, command, type FlagsOf, type InputOf } from '../command.ts';
import { LIST_FLAGS, type ListFlags, type Page, printList } from '../lookup/paged-lists.ts';
import type { View } from '../output/render-reply.ts';

interface HasId {
  readonly id: number;
}

export interface NamedNoun<Item extends object> {
  readonly noun: string;
  /** The placeholder in the usage, e.g. `channel`. */
  readonly argument: string;
  readonly find: (cli: Cli, text: string) => Promise<Item>;
  readonly nameOf: (item: Item) => string;
}

interface Listing<U extends string, F extends string, Query extends object, Row> {
  /** `list` if absent. */
  readonly usage?: U;
  readonly flags?: readonly F[];
  readonly examples: readonly string[];
  readonly view: View;
  /** What the input selects, which is sent with every page. */
  readonly query?: (cli: Cli, input: InputOf<U, F>) => Query | Promise<Query>;
  readonly page: (
    api: LocalApi,
    query: Query & { readonly p: number; readonly page_size: number },
    input: InputOf<U, F>,
  ) => Promise<Page<Row>>;
  /** A row as it is printed. */
  readonly shown?: (row: Row) => unknown;
}

/** A paginated list. */
export function listCommand<
  const U extends string = 'list',
  const F extends string = never,
  Query extends object = object,
  Row = unknown,
>({ usage, flags = [], examples, view, query, page, shown }: Listing<U, F, Query, Row>): Command {
  return command({
    usage: usage ?? 'list',
    flags: [...flags, ...LIST_FLAGS],
    examples,
    async run(cli, given) {
      const input = given as unknown as InputOf<U, F> & ListFlags; // as commander parsed it
      const api = await cli.api();
      const asked = (await query?.(cli, input)) ?? ({} as Query); // without a function, an object
      await printList(cli, input, view, (at) => page(api, { ...at, ...asked }, input), shown);
    },
  });
}

export function getCommand<Item extends HasId>(
  { argument, find }: NamedNoun<Item>,
  { examples, view }: { readonly examples: readonly string[]; readonly view: View },
): Command {
  return command({
    usage: `get <${argument}>`,
    examples,
    async run(cli, input) {
      await cli.print(await find(cli, textOf(input, argument)), view);
    },
  });
}

/** How the fields of an object are changed. */
export interface Edit<Item, Flag extends string, Fields extends object> {
  /** Undefined fields stay as they are. */
  readonly fields: (cli: Cli, flags: FlagsOf<Flag>, before: Item) => Fields | Promise<Fields>;
  readonly save: (api: LocalApi, before: Item, fields: Fields) => Promise<unknown>;
  readonly view: View;
  readonly also?: {
    /** Whether the flags ask for more than a change of fields. */
    readonly isRequested: (flags: FlagsOf<Flag>) => boolean;
    /** Runs after the change of fields. */
    readonly run: (cli: Cli, flags: FlagsOf<Flag>, before: Item) => Promise<void>;
  };
}

export function editCommand<Item extends HasId, Flag extends string, Fields extends object>(
  named: NamedNoun<Item>,
  row: Edit<Item, Flag, Fields> & {
    readonly flags: readonly Flag[];
    readonly examples: readonly string[];
  },
): Command {
  const { argument, find } = named;
  return command({
    usage: `edit <${argument}>`,
    flags: row.flags,
    examples: row.examples,
    async run(cli, input) {
      const before = await find(cli, textOf(input, argument));
      const flags = input as FlagsOf<Flag>; // as commander parsed it
      await editObject(cli, named, row, { before, flags, ifSame: 'refuse' });
    },
  });
}

interface Edited<Item, Flag extends string> {
  readonly before: Item;
  readonly flags: FlagsOf<Flag>;
  /** What happens if the flags change no field. */
  readonly ifSame: 'refuse' | 'print';
}

/** Writes the fields that the flags change, and prints the object. */
export async function editObject<Item extends object, Flag extends string, Fields extends object>(
  cli: Cli,
  { noun, nameOf }: Pick<NamedNoun<Item>, 'noun' | 'nameOf'>,
  { fields: fieldsOf, save, view, also }: Edit<Item, Flag, Fields>,
  { before, flags, ifSame }: Edited<Item, Flag>,
): Promise<void> {
  const fields = await fieldsOf(cli, flags, before);
  const isMore = also?.isRequested(flags) ?? false;
  const isChange = Object.values(fields).some((value) => value !== undefined);
  const change = { action: 'update', noun, name: nameOf(before), before } as const;
  if (isChange) await cli.changeAndPrint(change, (api) => save(api, before, fields), view);
  else if (ifSame === 'print') await cli.print(before, view);
  else if (!isMore) throw new AppError('nothing_changed');
  if (isMore && !cli.globals.dryRun) await also?.run(cli, flags, before);
}

interface Deletion {
  readonly examples: readonly string[];
  /** Describes what is lost permanently. */
  readonly loses: (cli: Cli) => string;
  readonly remove: (api: LocalApi, id: number) => Promise<unknown>;
}

export function deleteCommand<Item extends HasId>(
  { noun, argument, find, nameOf }: NamedNoun<Item>,
  { examples, loses, remove }: Deletion,
): Command {
  return command({
    usage: `delete <${argument}>`,
    examples,
    async run(cli, input) {
      const item = await find(cli, textOf(input, argument));
      const name = nameOf(item);
      const change = { action: 'delete', noun, name, loses: loses(cli) } as const;
      await cli.change(change, (api) => remove(api, item.id));
      if (!cli.globals.dryRun) await cli.done(noun, name, 'deleted');
    },
  });
}

interface Update<Flag extends string> {
  readonly verb: string;
  readonly flags?: readonly Flag[];
  readonly examples: readonly string[];
  readonly update: (api: LocalApi, id: number, flags: FlagsOf<Flag>) => Promise<unknown>;
  readonly view: View;
}

/** `enable`, `disable` and similar: one call on one object. */
export function updateCommand<Item extends HasId, Flag extends string = never>(
  { noun, argument, find, nameOf }: NamedNoun<Item>,
  { verb, flags = [], examples, update, view }: Update<Flag>,
): Command {
  return command({
    usage: `${verb} <${argument}>`,
    flags,
    examples,
    async run(cli, input) {
      const before = await find(cli, textOf(input, argument));
      const change = { action: 'update', noun, name: nameOf(before), before } as const;
      const given = input as FlagsOf<Flag>; // as commander parsed it
      await cli.changeAndPrint(change, (api) => update(api, before.id, given), view);
    },
  });
}

interface StatusChange<Flag extends string> extends Pick<Update<Flag>, 'flags' | 'view'> {
  /** What the commands are used on, in their example. */
  readonly example: string;
  readonly set: (
    api: LocalApi,
    id: number,
    status: 1 | 2,
    flags: FlagsOf<Flag>,
  ) => Promise<unknown>;
}

/** `enable` and `disable` of nouns whose status is 1 and 2 then. */
export function statusCommands<Item extends HasId, Flag extends string = never>(
  named: NamedNoun<Item>,
  { example, set, ...row }: StatusChange<Flag>,
): readonly Command[] {
  return (
    [
      ['enable', 1],
      ['disable', 2],
    ] as const
  ).map(([verb, status]) =>
    updateCommand(named, {
      ...row,
      verb,
      examples: [`${verb} ${example}`],
      update: (api, id, flags) => set(api, id, status, flags),
    }),
  );
}

/** commander guarantees that a required `<argument>` is present. */
function textOf(input: object, argument: string): string {
  return String((input as Readonly<Record<string, unknown>>)[argument]);
}

/** The reply of a command that deletes many objects at once. */
export const DELETED_VIEW: View = { columns: ['deleted'], id: 'deleted' };
