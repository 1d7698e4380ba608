/** Form values, validation and request bodies of messages. */
import type { Format } from './calls.ts';

const MAX_TITLE = 200;
const MAX_CONTENT = 100_000;

/** Individually selected accounts by id, with the name on their chip. */
export type SelectedUsers = ReadonlyMap<number, string>;

/** The recipients of a message. */
export type Audience =
  | { readonly kind: 'picked'; readonly users: SelectedUsers }
  /** The group's members at the time of sending. */
  | { readonly kind: 'group'; readonly group: string; readonly count: number }
  | { readonly kind: 'all'; readonly count: number };

export const NO_RECIPIENTS: Audience = { kind: 'picked', users: new Map() };

export interface MessageText {
  readonly title: string;
  readonly content: string;
  readonly format: Format;
}

export interface MessageValues extends MessageText {
  readonly audience: Audience;
}

export const BLANK_MESSAGE: MessageValues = {
  title: '',
  content: '',
  format: 'markdown',
  audience: NO_RECIPIENTS,
};

/** Suffix of the text key `message.error.<problem>`. */
export type MessageProblem = 'title' | 'titleLong' | 'content' | 'contentLong' | 'audience';

/** Whitespace alone counts as empty. */
export function textProblems({ title, content }: MessageText): {
  title?: MessageProblem;
  content?: MessageProblem;
} {
  return {
    ...(title.trim() === '' && { title: 'title' }),
    ...(title.trim().length > MAX_TITLE && { title: 'titleLong' }),
    ...(content.trim() === '' && { content: 'content' }),
    ...(content.trim().length > MAX_CONTENT && { content: 'contentLong' }),
  };
}

export function messageProblems(values: MessageValues): {
  title?: MessageProblem;
  content?: MessageProblem;
  audience?: MessageProblem;
} {
  const isToNobody = audienceSize(values.audience) === 0;
  return { ...textProblems(values), ...(isToNobody && { audience: 'audience' }) };
}

export function audienceSize(audience: Audience): number {
  return audience.kind === 'picked' ? audience.users.size : audience.count;
}

export function textInput({ title, content, format }: MessageText) {
  return { title: title.trim(), content: content.trim(), format };
}

export function messageInput(values: MessageValues) {
  return { ...textInput(values), ...audienceInput(values.audience) };
}

function audienceInput(audience: Audience) {
  if (audience.kind === 'all') return { to_all: true };
  if (audience.kind === 'group') return { group: audience.group };
  return { user_ids: [...audience.users.keys()] };
}
