/** The forms of the dashboard have a text for each label and hint. */
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../src/domain/languages.ts';
import { hasText } from '../../src/locales/text.ts';
import { Values } from '../../src/session/values.ts';
import { screensFor } from '../../src/tui/screens/all.ts';
import type { ActionContext, Viewer } from '../../src/tui/screens/screen.ts';

const SHOWN = { t: String, role: 100, quotaPerUnit: 1, isOperator: true, memory: {} };
const SCREENS = screensFor(SHOWN as unknown as Viewer, new Values(String)); // forms need no more
/** A row whose fields are all empty. */
const EMPTY = new Proxy({ id: 1 }, { get: () => '' });

test.each(['channels', 'tokens', 'users', 'codes'] as const)(
  'every field of the forms of %s has a label',
  async (screen) => {
    const keys: string[] = [];
    const form: ActionContext['form'] = async (_title, fields) => {
      keys.push(...fields.flatMap(({ label, hint = label }) => [label, hint]));
      return false;
    };
    const context = { t: String, form } as unknown as ActionContext; // as above
    const forms = SCREENS[screen].actions.filter(({ name }) => name === 'add' || name === 'edit');
    for (const { run } of forms) await run(context, [EMPTY as never]);
    expect(keys.length).toBeGreaterThan(2);
    for (const key of keys)
      for (const language of LANGUAGES) expect(hasText(key, language), key).toBe(true);
  },
);
