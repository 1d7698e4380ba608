/** The input line: the filter, applied while typing, and the command line. */

import type { DashboardControl } from './dashboard-control.ts';
import { globalKey } from './global-keys.ts';
import {
  completeCommand,
  parseCommand,
  similarCommands,
  type TypedCommand,
} from './model/command-line.ts';
import { withFilter } from './model/list.ts';
import type { Prompt, State } from './model/state.ts';
import { textInput, textOf, withKey } from './model/text-input.ts';

/** The filter is sent to the server after a typing pause of this length. */
const SETTLED_MS = 250;
const MAX_REMEMBERED = 50;

export function promptKey(runtime: DashboardControl, prompt: Prompt, key: string): void {
  switch (key) {
    case 'escape':
      leave(runtime, prompt);
      break;
    case 'enter':
      finish(runtime, prompt);
      break;
    case 'up':
      recall(runtime, prompt, 1);
      break;
    case 'down':
      recall(runtime, prompt, -1);
      break;
    case 'tab':
      if (prompt.kind === 'command') complete(runtime, prompt);
      break;
    case 'backspace':
      if (prompt.input.chars.length === 0) leave(runtime, prompt);
      else write(runtime, prompt, withKey(prompt.input, key));
      break;
    default:
      write(runtime, prompt, withKey(prompt.input, key));
  }
}

function write(runtime: DashboardControl, prompt: Prompt, input: Prompt['input']): void {
  runtime.set({ prompt: { ...prompt, input } });
  if (prompt.kind === 'filter') applyFilter(runtime, textOf(input));
}

function applyFilter(runtime: DashboardControl, filter: string): void {
  if (runtime.opened()?.list.filter === filter) return;
  runtime.change((list, screen) => withFilter({ ...list, cursor: 0 }, screen, filter));
  runtime.poller.readAfter(SETTLED_MS);
}

function leave(runtime: DashboardControl, prompt: Prompt): void {
  if (prompt.kind === 'filter') applyFilter(runtime, prompt.before);
  runtime.set({ prompt: undefined });
}

function finish(runtime: DashboardControl, prompt: Prompt): void {
  const text = textOf(prompt.input).trim();
  const name = historyOf(prompt);
  const others = runtime.state[name].filter((each) => each !== text);
  runtime.set({
    prompt: undefined,
    ...(text !== '' && { [name]: [...others, text].slice(-MAX_REMEMBERED) }),
  });
  if (prompt.kind === 'command' && text !== '') runCommand(runtime, parseCommand(text), text);
}

function historyOf({ kind }: Prompt): 'filters' | 'commands' {
  return kind === 'filter' ? 'filters' : 'commands';
}

function recall(runtime: DashboardControl, prompt: Prompt, by: 1 | -1): void {
  const history: State['filters'] = runtime.state[historyOf(prompt)];
  const recalled = Math.min(history.length, Math.max(0, prompt.recalled + by));
  if (recalled === prompt.recalled) return;
  const text = recalled === 0 ? '' : (history.at(-recalled) ?? '');
  write(runtime, { ...prompt, recalled }, textInput(text));
}

function complete(runtime: DashboardControl, prompt: Prompt): void {
  const fields = (name: keyof typeof runtime.screens) => {
    const { columns, filters } = runtime.screens[name];
    const keys = [...columns.map(({ key }) => key), ...Object.keys(filters)];
    return [...new Set(keys)].filter((key) => key !== '*');
  };
  const { text, choices } = completeCommand(textOf(prompt.input), fields);
  runtime.set({ prompt: { ...prompt, input: textInput(text) } });
  if (choices.length > 1) runtime.showMessage(choices.join('  '), 'dim');
}

function runCommand(
  runtime: DashboardControl,
  command: TypedCommand | undefined,
  text: string,
): void {
  switch (command?.kind) {
    case undefined:
      runtime.showMessage(unknownText(runtime, text), 'warn');
      break;
    case 'open':
      runtime.go(command.screen, command.filter);
      break;
    case 'language':
      runtime.setLanguage(command.language);
      break;
    case 'key':
      globalKey(runtime, command.key);
  }
}

function unknownText({ viewer: { t } }: DashboardControl, text: string): string {
  const problem = t('tui.messages.no_command', { text });
  const words = similarCommands(text).map((word) => `:${word}`);
  if (words.length === 0) return problem;
  const suggestion = words.join(t('cli.usage.or'));
  return `${problem} ${t('cli.usage.suggestion', { suggestion })}`;
}
