/** Chats and presets, stored only in this browser. */
import { isObject, parseJson } from '../../../../../src/json/read-json.ts';
import { DEFAULT_SETTINGS, type PlaygroundSettings, type Turn } from '../chat/turns.ts';

export interface SavedConversation {
  readonly id: string;
  readonly turns: readonly Turn[];
}

export interface Preset {
  readonly name: string;
  readonly settings: PlaygroundSettings;
}

export const MAX_CONVERSATIONS = 20;

export function conversationsIn(text: string): readonly SavedConversation[] {
  return listIn(text).flatMap((value) => (isConversation(value) ? [value] : []));
}

/** Newest first. Images would fill the storage, so they last only as long as the page. */
export function withConversation(
  conversations: readonly SavedConversation[],
  { id, turns }: SavedConversation,
): readonly SavedConversation[] {
  const others = conversations.filter((conversation) => conversation.id !== id);
  if (turns.length === 0) return others;
  const kept = { id, turns: turns.map((turn) => ({ ...turn, images: [] })) };
  return [kept, ...others].slice(0, MAX_CONVERSATIONS);
}

const MAX_TITLE = 40;

export function titleOf({ turns }: SavedConversation): string {
  const first = turns.find(({ text }) => text.trim() !== '')?.text.trim() ?? '';
  const characters = [...first.replace(/\s+/g, ' ')];
  return characters.length > MAX_TITLE
    ? `${characters.slice(0, MAX_TITLE).join('')}…`
    : characters.join('');
}

export function presetsIn(text: string): readonly Preset[] {
  return listIn(text).flatMap((value) =>
    isObject(value) && typeof value.name === 'string' && isObject(value.settings)
      ? [{ name: value.name, settings: settingsIn(value.settings) }]
      : [],
  );
}

/** Fields of a wrong type fall back to the defaults. */
function settingsIn(facts: Facts): PlaygroundSettings {
  const entries = Object.entries(DEFAULT_SETTINGS).map(([name, fallback]) => {
    const value = facts[name];
    return [name, typeof value === typeof fallback ? value : fallback];
  });
  return Object.fromEntries(entries) as PlaygroundSettings; // one valid value per field
}

type Facts = Readonly<Record<string, unknown>>;

function listIn(text: string): readonly unknown[] {
  const list = parseJson(text);
  return Array.isArray(list) ? list : [];
}

function isConversation(value: unknown): value is SavedConversation {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    Array.isArray(value.turns) &&
    value.turns.every(isTurn)
  );
}

function isTurn(value: unknown): boolean {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    ['user', 'assistant'].includes(String(value.role)) &&
    typeof value.text === 'string' &&
    typeof value.reasoning === 'string' &&
    Array.isArray(value.images)
  );
}
