import { useEffect, useMemo, useRef } from 'react';
import { field, useUrlState } from '../../../lib/browser/url-state.ts';
import { type Chat, type ChatActions, savedConversation, useChat } from '../chat/useChat.ts';
import type { SettingsState } from '../settings/usePlaygroundSettings.ts';

export interface Conversations {
  readonly main: Chat;
  /** Sends the same messages to a second model; undefined if there is none. */
  readonly other: Chat | undefined;
  readonly isBusy: boolean;
  readonly actions: Pick<ChatActions, 'send' | 'stop' | 'open' | 'startOver'>;
}

/** One chat, or two that get the same messages at the same time; the second is not stored. */
export function useConversations({ value, other: model }: SettingsState): Conversations {
  const { state, set } = useUrlState(ADDRESS);
  const main = useChat(value, true, state.chat);
  const second = useChat({ ...value, model }, false);
  const isPair = model !== '';
  useSameBeginning(main, second, isPair);
  const actions = useMemo(
    () => together(isPair ? [main.actions, second.actions] : [main.actions]),
    [main.actions, second.actions, isPair],
  );
  useAddress(main, actions, state.chat, (chat, replace) => set({ chat }, { replace }));
  return {
    main,
    other: isPair ? second : undefined,
    isBusy: main.isBusy || (isPair && second.isBusy),
    actions,
  };
}

const ADDRESS = { chat: field.text() };

/** Keeps the id of the conversation in the URL, and opens that of the URL after a step back. */
function useAddress(
  { turns, conversationId }: Chat,
  actions: Conversations['actions'],
  address: string,
  write: (id: string, replaces: boolean) => void,
): void {
  const seen = useRef(address);
  const written = useRef(address);
  useEffect(() => {
    const shown = turns.length === 0 ? '' : conversationId;
    const isStep = address !== seen.current && address !== written.current;
    seen.current = address;
    if (isStep) {
      written.current = address;
      const saved = savedConversation(address);
      if (saved === undefined) actions.startOver();
      else if (address !== shown) actions.open(saved);
    } else if (shown !== written.current) {
      // The URL follows later, and the chat may change meanwhile.
      written.current = shown;
      write(shown, address === '');
    }
  });
}

function together(all: readonly ChatActions[]): Conversations['actions'] {
  return {
    send: (text, images) => {
      for (const chat of all) chat.send(text, images);
    },
    stop: () => {
      for (const chat of all) chat.stop();
    },
    open: (conversation) => {
      for (const chat of all) chat.open(conversation);
    },
    startOver: () => {
      for (const chat of all) chat.startOver();
    },
  };
}

/** A second chat starts with the turns so far, and is cleared when it is closed. */
function useSameBeginning(main: Chat, second: Chat, isJoined: boolean): void {
  const wasJoined = useRef(false);
  useEffect(() => {
    if (wasJoined.current === isJoined) return;
    wasJoined.current = isJoined;
    if (isJoined) second.actions.open({ id: main.conversationId, turns: main.turns });
    else second.actions.startOver();
  });
}
