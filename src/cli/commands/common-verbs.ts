/** Commands that are the same for every noun whose objects are given by name or id. */

import { AppError } from '../../domain/errors/errors.ts';
import type { LocalApi } from '../../session/session.ts';
import type { Cli } from '../cli.ts';
import { type Command, command, type FlagsOf, type InputOf } from '../command.ts';
import { LIST_FLAGS, type ListFlags, type Page, printList } from '../lookup/paged-lists.ts';
import type { View } from '../output/render-reply.ts';

export interface NamedNoun<Item extends object> {
  readonly noun: string;
  /** The placeholder in the usage; the noun if absent. */
  readonly argument?: string;
  readonly find: (cli: Cli, text: string) => Promise<Item>;
  readonly nameOf: (item: Item) => string;
  readonly view: View;
  /** What is shown after a write; the columns of `view` if absent. */
  readonly brief?: View;
}

/** What is shown of an object after a write. */
export function briefOf({ view, brief }: Pick<NamedNoun<never>, 'view' | 'brief'>): View {
  return brief ?? { ...view, brief: true };
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

/** Prints the reply of a call. */
export function replyCommand<const U extends string>(
  usage: U,
  examples: readonly string[],
  view: View,
  call: (api: LocalApi, input: InputOf<U, never>) => Promise<unknown>,
): Command {
  return command({
    usage,
    examples,
    async run(cli, input) {
      await cli.print(await call(await cli.api(), input), view);
    },
  });
}

export function getCommand<Item extends object>(
  { noun, argument = noun, find, view }: NamedNoun<Item>,
  examples: readonly string[],
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
  readonly also?: {
    /** Whether the flags ask for more than a change of fields. */
    readonly isRequested: (flags: FlagsOf<Flag>) => boolean;
    /** Runs after the change of fields. */
    readonly run: (cli: Cli, flags: FlagsOf<Flag>, before: Item) => Promise<void>;
  };
}

export function editCommand<Item extends object, Flag extends string, Fields extends object>(
  named: NamedNoun<Item>,
  row: Edit<Item, Flag, Fields> & {
    readonly flags: readonly Flag[];
    readonly examples: readonly string[];
  },
): Command {
  const { noun, argument = noun, find } = named;
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

/** What a write needs to know of a noun. */
export type WrittenNoun<Item extends object> = Omit<NamedNoun<Item>, 'argument' | 'find'>;

interface Edited<Item, Flag extends string> {
  readonly before: Item;
  readonly flags: FlagsOf<Flag>;
  /** What happens if the flags change no field. */
  readonly ifSame: 'refuse' | 'print';
}

/** Writes the fields that the flags change, and prints the object. */
export async function editObject<Item extends object, Flag extends string, Fields extends object>(
  cli: Cli,
  named: WrittenNoun<Item>,
  { fields: fieldsOf, save, also }: Edit<Item, Flag, Fields>,
  { before, flags, ifSame }: Edited<Item, Flag>,
): Promise<void> {
  const { noun, nameOf } = named;
  const view = briefOf(named);
  const fields = await fieldsOf(cli, flags, before);
  const isMore = also?.isRequested(flags) ?? false;
  const isChange = Object.values(fields).some((value) => value !== undefined);
  const change = { action: 'update', noun, name: nameOf(before), before } as const;
  if (isChange) await cli.changeAndPrint(change, (api) => save(api, before, fields), view);
  else if (ifSame === 'print') await cli.print(before, view);
  else if (!isMore) throw new AppError('nothing_changed');
  if (isMore && !cli.globals.dryRun) await also?.run(cli, flags, before);
}

/** @param loses describes what is lost permanently; if absent, the text of the noun does. */
export function deleteCommand<Item extends object>(
  { noun, argument = noun, find, nameOf }: Omit<NamedNoun<Item>, 'view'>,
  examples: readonly string[],
  remove: (api: LocalApi, item: Item) => Promise<unknown>,
  loses = ({ t }: Cli) => t(`cli.loses.${noun}`),
): Command {
  return command({
    usage: `delete <${argument}>`,
    examples,
    async run(cli, input) {
      const item = await find(cli, textOf(input, argument));
      const name = nameOf(item);
      const change = { action: 'delete', noun, name, loses: loses(cli) } as const;
      await cli.change(change, (api) => remove(api, item));
      if (!cli.globals.dryRun) await cli.done(noun, name, 'deleted');
    },
  });
}

/** `delete <name>` of what is known by its name only. */
export function deleteByNameCommand(
  noun: string,
  examples: readonly string[],
  remove: (api: LocalApi, item: { readonly name: string }) => Promise<unknown>,
): Command {
  const find = async (_cli: Cli, name: string) => ({ name });
  const nameOf = ({ name }: { readonly name: string }) => name;
  return deleteCommand({ noun, argument: 'name', find, nameOf }, examples, remove);
}

type Update<Item, Rest extends unknown[]> = (
  api: LocalApi,
  before: Item,
  ...rest: Rest
) => Promise<unknown>;

/** `enable`, `disable` and similar: one call on one object. */
export function updateCommand<Item extends object, Flag extends string = never>(
  named: NamedNoun<Item>,
  verb: string,
  example: string,
  update: Update<Item, [flags: FlagsOf<Flag>]>,
  flags: readonly Flag[] = [],
): Command {
  const { noun, argument = noun, find, nameOf } = named;
  return command({
    usage: `${verb} <${argument}>`,
    flags,
    examples: [`${verb} ${example}`],
    async run(cli, input) {
      const before = await find(cli, textOf(input, argument));
      const change = { action: 'update', noun, name: nameOf(before), before } as const;
      const given = input as FlagsOf<Flag>; // as commander parsed it
      await cli.changeAndPrint(change, (api) => update(api, before, given), briefOf(named));
    },
  });
}

const STATUS_VERBS = { enable: 1, disable: 2 } as const;

/**
 * `enable` and `disable` of nouns whose status is 1 and 2 then.
 * @param example what the commands are used on, in their example
 */
export function statusCommands<Item extends object, Flag extends string = never>(
  named: NamedNoun<Item>,
  example: string,
  set: Update<Item, [status: 1 | 2, flags: FlagsOf<Flag>]>,
  flags?: readonly Flag[],
): readonly Command[] {
  return Object.entries(STATUS_VERBS).map(([verb, status]) =>
    updateCommand(
      named,
      verb,
      example,
      (api, before, given: FlagsOf<Flag>) => set(api, before, status, given),
      flags,
    ),
  );
}

/** commander guarantees that a required `<argument>` is present. */
function textOf(input: object, argument: string): string {
  return String((input as Readonly<Record<string, unknown>>)[argument]);
}
