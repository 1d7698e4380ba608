/** The context of actions: calls, dialogs, the terminal. */

import { apiCalls } from '../api/all.ts';
import { askingBeforeImpact } from '../api/impact.ts';
import { errorText } from '../locales/text.ts';
import type { DashboardControl } from './dashboard-control.ts';
import { wrapped } from './model/line.ts';
import { sortedBy } from './model/list.ts';
import { confirmation, type FormField, formOf } from './model/overlay.ts';
import { REVEAL_MS } from './model/state.ts';
import type { ActionContext } from './screens/screen.ts';

export function actionContextFor(runtime: DashboardControl): ActionContext {
  const { ports, viewer } = runtime;
  const { t, language } = viewer;
  const api = askingBeforeImpact(ports.session.api, apiCalls, async (impact) => {
    const dialog = {
      title: t('tui.dialog.impact'),
      body: [errorText(impact, language)],
      verb: t('tui.dialog.impact_verb'),
    };
    return (await runtime.open(confirmation(dialog))) === true;
  });
  return {
    api,
    viewer,
    values: ports.valuesFor(viewer.language),
    t,
    confirm: async (dialog) => (await runtime.open(confirmation(dialog))) === true,
    async ask({ title, label }, value = '') {
      const field = { name: 'value', label: '', hint: label, value };
      const answer = await runtime.open(formOf(title, [field]));
      if (typeof answer !== 'object') return undefined;
      runtime.set({ overlay: undefined });
      return answer.value;
    },
    form: (title, fields, send) => form(runtime, formOf(title, fields), send),
    async page(title, text) {
      const lines = wrapped(text, runtime.state.columns - 2);
      await runtime.open({ kind: 'text', title, lines, top: 0 });
    },
    showMessage: (text, tone) => runtime.showMessage(text, tone),
    copy(text, what) {
      ports.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      runtime.showMessage(t('tui.messages.copied', { what }), 'good');
    },
    reveal(id, text) {
      runtime.set({
        revealed: { id, text, untilMs: ports.nowMs() + REVEAL_MS },
        isDetailOpen: true,
      });
    },
    edit: (text, extension) => ports.edit(text, extension),
    run: (argv, { stdin = '', api: given = api } = {}) =>
      ports.run(argv, { api: given, language, stdin }),
    go: (screen, filter) => runtime.go(screen, filter),
    sortBy: (column) => runtime.change((list, screen) => sortedBy(list, screen, column)),
    refresh: () => runtime.poller.readNow(),
    redraw: () => runtime.set({}),
    work: (run) => work(runtime, run),
    address: () => ports.address(),
    writeFile: (path, text) => ports.writeFile(path, text),
  };
}

type Send = (values: Readonly<Record<string, string>>) => Promise<void>;

/** Stays open until the server accepts the values, so that an error loses no input. */
async function form(
  runtime: DashboardControl,
  first: ReturnType<typeof formOf>,
  send: Send,
): Promise<boolean> {
  let shown = first;
  for (;;) {
    const values = await runtime.open(shown);
    if (typeof values !== 'object') return false;
    try {
      await send(values);
      runtime.set({ overlay: undefined });
      return true;
    } catch (error) {
      const text = labelled(runtime.failureText(error), first.fields);
      const { overlay } = runtime.state;
      // The form was closed while it was being sent.
      if (overlay?.kind !== 'form') {
        runtime.showMessage(text, 'bad');
        return false;
      }
      shown = { ...overlay, isSending: false, error: text };
    }
  }
}

/** Errors of a command name its flags, which the form shows as labels. */
function labelled(text: string, fields: readonly FormField[]): string {
  return text.replaceAll(
    /--[a-z-]+/g,
    (flag) => fields.find(({ name }) => name === flag)?.label ?? flag,
  );
}

async function work<T>(runtime: DashboardControl, run: () => Promise<T>): Promise<T> {
  runtime.set({ running: runtime.state.running + 1 });
  try {
    return await run();
  } finally {
    runtime.set({ running: runtime.state.running - 1 });
  }
}
