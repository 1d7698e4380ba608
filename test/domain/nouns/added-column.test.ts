/** A row that is added to the table of a noun, in a copy of the sources, appears in every layer. */
import { readFile } from 'node:fs/promises';
import { build, type Plugin } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url).pathname;

/** Adds `row` as the first row of a table. */
function adding(noun: 'channel' | 'token' | 'user', row: string): Plugin {
  const filter = new RegExp(`src/domain/nouns/${noun}\\.ts$`);
  return {
    name: 'added-row',
    setup: ({ onLoad }) =>
      onLoad({ filter }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        const start = `export const ${noun.toUpperCase()} = {`;
        expect(source.split(start)).toHaveLength(2);
        return { contents: source.replace(start, `${start}\n${row}`), loader: 'ts' };
      }),
  };
}

/** The value of `expression` in the sources with the added row. */
async function inCopy(plugin: Plugin, imports: string, expression: string): Promise<unknown> {
  const { outputFiles } = await build({
    stdin: { contents: `${imports}\nexport const value = ${expression};`, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    external: ['better-sqlite3', 'pg', 'mysql2', 'redis'],
    plugins: [plugin],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire('/');",
    },
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)).value;
}

const FIELDS_OF = `
  import * as z from 'zod';
  const fieldsOf = (schema, io = 'input') =>
    Object.keys(z.toJSONSchema(schema, { io, unrepresentable: 'any' }).properties);
`;

test('a column of a channel appears in calls, documents, database, commands and forms', async () => {
  const found = await inCopy(
    adding('channel', "probe: { ...text('routing', 9), flag: '--probe <text>', isCommon: true },"),
    `${FIELDS_OF}
    import { channelCalls, NewChannel, ChannelEdit } from './src/api/channels/channel.ts';
    import { ChannelDocument, ExportedChannel } from './src/api/channels/channel-transfer.ts';
    import { siteFileJsonSchema } from './src/cli/site-file/document.ts';
    import { FIELD_FLAGS, fieldsOf as fieldsOfFlags } from './src/cli/commands/channel/channel-fields.ts';
    import { editableFields } from './src/services/channels/channel-fields.ts';
    import { CHANNELS } from './src/store/tables/channels-table.ts';
    import { Values } from './src/session/values.ts';
    import { channelActions } from './src/tui/screens/channel-actions.ts';
    import { columnsOfSection } from './src/domain/nouns/channel.ts';
    const editor = channelActions({ role: 100, memory: {} }).find(({ name }) => name === 'editor');
    const edited = (row) => new Promise((resolve) => editor.run({
      t: String,
      edit: async (yaml) => (resolve(yaml), '{}'),
      showMessage: () => {},
    }, [row]));
    import { NEW_CHANNEL, valuesOf, wireFields } from './web/src/features/channels/editor/channel-form.ts';`,
    `{
      shapes: {
        create: fieldsOf(NewChannel),
        edit: fieldsOf(ChannelEdit),
        reply: fieldsOf(channelCalls.get.reply, 'output'),
        exported: fieldsOf(ExportedChannel),
        imported: fieldsOf(ChannelDocument),
        site: Object.keys(JSON.parse(siteFileJsonSchema()).properties.channels.items.properties),
        read: CHANNELS.columns,
        written: Object.keys(editableFields({})),
        form: columnsOfSection('routing'),
      },
      most: NewChannel.safeParse({ name: 'a', key: 'k', models: 'm', probe: '0123456789' }).success,
      flags: FIELD_FLAGS.includes('--probe <text>'),
      given: fieldsOfFlags({ values: new Values(String) }, { probe: ' x ' }).probe,
      fresh: NEW_CHANNEL.probe,
      sent: wireFields({ ...NEW_CHANNEL, probe: ' y ' }).probe,
      shown: valuesOf({ probe: 'z', models: '', group: '' }).probe,
      yaml: await edited({ id: 1, name: 'a', type: 1, probe: 'w' }),
    }`,
  );
  const { shapes, yaml, ...others } = found as { shapes: Record<string, string[]>; yaml: string };
  expect(yaml).toContain('probe: w');
  for (const [name, fields] of Object.entries(shapes)) expect(fields, name).toContain('probe');
  expect(others).toEqual({
    most: false,
    flags: true,
    given: 'x',
    fresh: '',
    sent: 'y',
    shown: 'z',
  });
});

test('a column of a token appears in calls, documents, commands and forms', async () => {
  const found = await inCopy(
    adding('token', "probe: { kind: 'number', least: 3, default: 4, flag: '--probe <n>' },"),
    `${FIELDS_OF}
    import { NewToken, Token, TokenEdit } from './src/api/accounts/token.ts';
    import { siteFileJsonSchema } from './src/cli/site-file/document.ts';
    import { token } from './src/cli/commands/accounts/token.ts';
    import { BLANK_TOKEN, newToken } from './web/src/features/token/editor/token-form.ts';`,
    `{
      shapes: {
        create: fieldsOf(NewToken),
        edit: fieldsOf(TokenEdit),
        reply: fieldsOf(Token, 'output'),
        site: Object.keys(JSON.parse(siteFileJsonSchema()).properties.tokens.items.properties),
        sent: Object.keys(newToken(BLANK_TOKEN)),
      },
      least: NewToken.safeParse({ name: 'a', probe: 2 }).success,
      flags: token.verbs.filter(({ flags }) => flags.includes('--probe <n>')).length,
    }`,
  );
  const { shapes, ...others } = found as { shapes: Record<string, string[]> };
  for (const [name, fields] of Object.entries(shapes)) expect(fields, name).toContain('probe');
  expect(others).toEqual({ least: false, flags: 2 });
});

test('a column of a user appears in calls, documents, commands and forms', async () => {
  const found = await inCopy(
    adding('user', "probe: { kind: 'text', most: 9, default: 'd', flag: '--probe <text>' },"),
    `${FIELDS_OF}
    import { NewUser, User, userCalls } from './src/api/accounts/user.ts';
    import { siteFileJsonSchema } from './src/cli/site-file/document.ts';
    import { user } from './src/cli/commands/accounts/user.ts';
    import { BLANK_USER_VALUES, userChange } from './web/src/features/users/editor/user-form.ts';`,
    `{
      shapes: {
        create: fieldsOf(NewUser),
        edit: fieldsOf(userCalls.edit.input),
        reply: fieldsOf(User, 'output'),
        site: Object.keys(JSON.parse(siteFileJsonSchema()).properties.users.items.properties),
      },
      flags: user.verbs.filter(({ flags }) => flags.includes('--probe <text>')).length,
      fresh: BLANK_USER_VALUES.probe,
      change: userChange(1, { ...BLANK_USER_VALUES, probe: 'e ' }, BLANK_USER_VALUES).edit,
    }`,
  );
  const { shapes, ...others } = found as { shapes: Record<string, string[]> };
  for (const [name, fields] of Object.entries(shapes)) expect(fields, name).toContain('probe');
  expect(others).toEqual({ flags: 2, fresh: 'd', change: { id: 1, probe: 'e' } });
});
