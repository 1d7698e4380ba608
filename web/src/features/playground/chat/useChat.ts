import {
  type Dispatch,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { STORED } from '../../../lib/browser/stored.ts';
import {
  conversationsIn,
  type SavedConversation,
  withConversation,
} from '../history/saved-conversations.ts';
import { ChatProblem, chatEvents, deltaOf } from './stream.ts';
import {
  answerTurn,
  bodyOf,
  type ChatBody,
  type PlaygroundSettings,
  type Turn,
  turnsBefore,
  userTurn,
  withoutTurn,
} from './turns.ts';

/** One call, for the inspector. Times are in milliseconds of the page's clock. */
export interface ChatExchange {
  readonly body: ChatBody;
  /** The data of each event so far. */
  readonly raw: readonly string[];
  readonly usage: object | undefined;
  readonly startMs: number;
  readonly firstMs: number | undefined;
  readonly endMs: number | undefined;
}

interface ChatState {
  readonly turns: readonly Turn[];
  readonly conversationId: string;
  readonly exchange: ChatExchange | undefined;
  readonly isBusy: boolean;
}

export interface ChatActions {
  send(text: string, images: readonly string[]): void;
  stop(): void;
  /** Replaces this answer by a new one and drops the turns after it. */
  regenerate(id: string): void;
  /** Replaces this message and drops the turns after it. */
  resend(id: string, text: string): void;
  remove(id: string): void;
  open(conversation: SavedConversation): void;
  startOver(): void;
}

export interface Chat extends ChatState {
  /** Stable for the lifetime of the chat, so that unchanged turns do not re-render. */
  readonly actions: ChatActions;
}

/**
 * A chat: one answer at a time, rendered at most once per frame however fast it streams.
 * @param isKept whether the browser stores it in the history.
 * @param openedId the stored conversation to begin with.
 */
export function useChat(settings: PlaygroundSettings, isKept = true, openedId = ''): Chat {
  const [state, setState] = useState<ChatState>(() =>
    blank(savedConversation(openedId) ?? { id: newConversationId(), turns: [] }),
  );
  const now = useRef({ state, settings });
  useLayoutEffect(() => {
    now.current = { state, settings };
  });
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const [actions] = useState(() => actionsOf({ now, running, setState, isKept }));
  return { ...state, actions };
}

function blank({ id, turns }: SavedConversation): ChatState {
  return { turns, conversationId: id, exchange: undefined, isBusy: false };
}

interface Inside {
  /** The last rendered state. */
  readonly now: {
    readonly current: { readonly state: ChatState; readonly settings: PlaygroundSettings };
  };
  readonly running: { current: AbortController | undefined };
  readonly setState: Dispatch<SetStateAction<ChatState>>;
  readonly isKept: boolean;
}

function actionsOf({ now, running, setState, isKept }: Inside): ChatActions {
  const change = (patch: Partial<ChatState>) => setState((state) => ({ ...state, ...patch }));
  const turnsNow = () => now.current.state.turns;
  const keep = (turns: readonly Turn[]) => {
    change({ turns });
    if (isKept) storeConversation({ id: now.current.state.conversationId, turns });
  };
  const request = async (history: readonly Turn[]) => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    change({ isBusy: true });
    keep(history);
    const draw = (answer: Turn, exchange: ChatExchange) => {
      if (running.current === own) change({ turns: [...history, answer], exchange });
    };
    const answer = await stream(bodyOf(history, now.current.settings), own.signal, draw);
    if (running.current !== own) return;
    running.current = undefined;
    change({ isBusy: false });
    keep([...history, answer]);
  };
  const leave = (conversation: SavedConversation) => {
    running.current?.abort();
    running.current = undefined;
    setState(blank(conversation));
  };
  return {
    send: (text, images) => void request([...turnsNow(), userTurn(text, images)]),
    stop: () => running.current?.abort(),
    regenerate: (id) => void request(turnsBefore(turnsNow(), id)),
    resend: (id, text) => {
      const images = turnsNow().find((turn) => turn.id === id)?.images ?? [];
      void request([...turnsBefore(turnsNow(), id), userTurn(text, images)]);
    },
    remove: (id) => keep(withoutTurn(turnsNow(), id)),
    open: leave,
    startOver: () => leave({ id: newConversationId(), turns: [] }),
  };
}

function newConversationId(): string {
  return `conversation-${Date.now().toString(36)}`;
}

export function savedConversation(id: string): SavedConversation | undefined {
  if (id === '') return undefined;
  return conversationsIn(STORED.playgroundConversations.read()).find((saved) => saved.id === id);
}

function storeConversation(conversation: SavedConversation): void {
  const conversations = withConversation(
    conversationsIn(STORED.playgroundConversations.read()),
    conversation,
  );
  STORED.playgroundConversations.write(JSON.stringify(conversations));
}

type Draw = (answer: Turn, exchange: ChatExchange) => void;

/** Never throws: errors become part of the answer. A stopped answer stays incomplete. */
async function stream(body: ChatBody, signal: AbortSignal, draw: Draw): Promise<Turn> {
  let answer = answerTurn();
  const raw: string[] = [];
  let exchange: ChatExchange = {
    body,
    raw,
    usage: undefined,
    startMs: performance.now(),
    firstMs: undefined,
    endMs: undefined,
  };
  let frame = 0;
  const drawSoon = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw(answer, exchange);
    });
  };
  draw(answer, exchange);
  try {
    for await (const data of chatEvents(body, signal)) {
      raw.push(data);
      const delta = deltaOf(data);
      answer = grown(answer, delta);
      exchange = seen(exchange, delta);
      if (delta.problem !== undefined) throw new ChatProblem(200, delta.problem);
      drawSoon();
    }
    answer = { ...answer, status: 'complete' };
  } catch (error) {
    answer = signal.aborted
      ? { ...answer, status: 'incomplete' }
      : { ...answer, status: 'error', problem: messageOf(error) };
  }
  cancelAnimationFrame(frame);
  exchange = { ...exchange, endMs: performance.now() };
  draw(answer, exchange);
  return answer;
}

function grown(answer: Turn, { text, reasoning }: ReturnType<typeof deltaOf>): Turn {
  if (text === '' && reasoning === '') return answer;
  return {
    ...answer,
    text: answer.text + text,
    reasoning: answer.reasoning + reasoning,
    status: 'incomplete',
  };
}

function seen(
  exchange: ChatExchange,
  { text, reasoning, usage }: ReturnType<typeof deltaOf>,
): ChatExchange {
  const isFirst = exchange.firstMs === undefined && (text !== '' || reasoning !== '');
  return {
    ...exchange,
    ...(usage && { usage }),
    ...(isFirst && { firstMs: performance.now() }),
  };
}

/** '' without a known reason. */
function messageOf(error: unknown): string {
  if (!(error instanceof ChatProblem)) return '';
  return error.message || (error.status === 0 ? '' : `HTTP ${error.status}`);
}
