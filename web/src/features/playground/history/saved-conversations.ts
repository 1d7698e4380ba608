/** Chats and presets, stored only in this browser. */
import { DEFAULTS, type Settings, type Turn } from '../chat/turns.ts';

export interface Talk {
  readonly id: string;
  readonly turns: readonly Turn[];
}

export interface Preset {
  readonly name: string;
  readonly settings: Settings;
}

export const MOST_TALKS = 20;

export function talksIn(text: string): readonly Talk[] {
  return listIn(text).flatMap((value) => (isTalk(value) ? [value] : []));
}

/** Newest first. Images would fill the storage, so they last only as long as the page. */
export function withTalk(talks: readonly Talk[], { id, turns }: Talk): readonly Talk[] {
  const others = talks.filter((talk) => talk.id !== id);
  if (turns.length === 0) return others;
  const kept = { id, turns: turns.map((turn) => ({ ...turn, images: [] })) };
  return [kept, ...others].slice(0, MOST_TALKS);
}

const MOST_TITLE = 40;

export function titleOf({ turns }: Talk): string {
  const first = turns.find(({ text }) => text.trim() !== '')?.text.trim() ?? '';
  const signs = [...first.replace(/\s+/g, ' ')];
  return signs.length > MOST_TITLE ? `${signs.slice(0, MOST_TITLE).join('')}…` : signs.join('');
}

export function presetsIn(text: string): readonly Preset[] {
  return listIn(text).flatMap((value) =>
    isFacts(value) && typeof value.name === 'string' && isFacts(value.settings)
      ? [{ name: value.name, settings: settingsIn(value.settings) }]
      : [],
  );
}

/** Fields of a wrong type fall back to the defaults. */
function settingsIn(facts: Facts): Settings {
  const entries = Object.entries(DEFAULTS).map(([name, fallback]) => {
    const value = facts[name];
    return [name, typeof value === typeof fallback ? value : fallback];
  });
  return Object.fromEntries(entries) as Settings; // one valid value per field
}

type Facts = Readonly<Record<string, unknown>>;

function listIn(text: string): readonly unknown[] {
  try {
    const list: unknown = text === '' ? [] : JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null;
}

function isTalk(value: unknown): value is Talk {
  return (
    isFacts(value) &&
    typeof value.id === 'string' &&
    Array.isArray(value.turns) &&
    value.turns.every(isTurn)
  );
}

function isTurn(value: unknown): boolean {
  return (
    isFacts(value) &&
    typeof value.id === 'string' &&
    ['user', 'assistant'].includes(String(value.role)) &&
    typeof value.text === 'string' &&
    typeof value.reasoning === 'string' &&
    Array.isArray(value.images)
  );
}
