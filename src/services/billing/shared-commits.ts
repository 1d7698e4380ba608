/**
 * Lets several processes of one machine write a SQLite file through their parent process
 * (docs/decisions/0007-parent-commits-for-workers.md). A worker sends its batch as one message; the
 * parent commits the batches that wait together, and returns the outcomes. A worker that loses its
 * channel repeats its batch itself, which changes nothing if the parent had committed it.
 */
import type { ProcessChannel } from '../../store/kv/shared-kv.ts';
import { GroupCommit } from '../../store/ledger/group-commit.ts';
import type { Operation, Outcome } from '../../store/ledger/ledger-operations.ts';
import { sqliteCodeOf } from '../../store/sql/sql-dialect.ts';
import type { BatchCommit, CommitListener } from './commit-batch.ts';

type CommitEvent = {
  [K in keyof CommitListener]: readonly [K, ...Parameters<CommitListener[K]>];
}[keyof CommitListener];

interface Question {
  readonly ledger: 'commit';
  readonly id: number;
  readonly batch: readonly Operation[];
}

interface Answer {
  readonly ledger: 'committed';
  readonly id: number;
  readonly result:
    | { readonly outcomes: readonly Outcome[] }
    | { readonly message: string; readonly code: string | undefined };
  /** For the listeners of this process alone, so that each commit is counted once. */
  readonly events: readonly CommitEvent[];
  readonly slowReason: string | undefined;
}

export type CommitMessage = Question | Answer;

/** How a worker reaches the parent that commits for it. */
export interface SharedCommits {
  readonly channel: ProcessChannel<CommitMessage>;
  /** The workers of the parent; each may use its part of the limits. */
  readonly workers: number;
}

interface SentBatch {
  readonly batch: readonly Operation[];
  readonly resolve: (outcomes: readonly Outcome[] | Promise<readonly Outcome[]>) => void;
  readonly reject: (error: Error) => void;
}

/** The worker's end; `own` commits when the parent is gone. */
export function commitByParent(
  channel: ProcessChannel<CommitMessage>,
  own: BatchCommit,
  listener: CommitListener,
): BatchCommit {
  const sent = new Map<number, SentBatch>();
  let lastId = 0;
  let slowReason: string | undefined;
  channel.onMessage((message) => {
    if (!isCommitMessage(message) || message.ledger !== 'committed') return;
    slowReason = message.slowReason;
    for (const event of message.events) report(listener, event);
    const { id, result } = message;
    const waiting = sent.get(id);
    sent.delete(id);
    if ('outcomes' in result) waiting?.resolve(result.outcomes);
    else waiting?.reject(Object.assign(new Error(result.message), { code: result.code }));
  });
  channel.onBroken(() => {
    for (const { batch, resolve } of sent.values()) resolve(own.commit(batch));
    sent.clear();
  });
  return {
    commit: (batch) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        if (!channel.send({ ledger: 'commit', id, batch })) resolve(own.commit(batch));
        else sent.set(id, { batch, resolve, reject });
      }),
    slowReason: () => slowReason ?? own.slowReason(),
  };
}

export interface CommitHost {
  /** Commits for a process from now on, until its channel closes. */
  serve(channel: ProcessChannel<CommitMessage>): void;
  /** Resolves when all batches received so far are committed. */
  flush(): Promise<void>;
}

/** A worker waits for its batch, so more can only come from workers that are being replaced. */
const MAX_WAITING = 1_000;

/** The parent's end. One commit has at most `maxBatches` batches. */
export function createCommitHost(
  createCommit: (listener: CommitListener) => BatchCommit,
  maxBatches: number,
): CommitHost {
  let events: CommitEvent[] = [];
  const own = createCommit({
    commitEnded: (...given) => void events.push(['commitEnded', ...given]),
    batchFellBack: (...given) => void events.push(['batchFellBack', ...given]),
    thresholdCrossed: (...given) => void events.push(['thresholdCrossed', ...given]),
  });
  const writer = new GroupCommit<readonly Operation[], readonly Outcome[]>({
    async commit(batches) {
      const outcomes = await own.commit(batches.flat());
      let from = 0;
      return batches.map(({ length }) => {
        from += length;
        return outcomes.slice(from - length, from);
      });
    },
    maxBatch: maxBatches,
    maxWaiting: MAX_WAITING,
    onFull: () => new Error('too many batches of workers wait'),
  });
  const answer = async (channel: ProcessChannel<CommitMessage>, { id, batch }: Question) => {
    const result = await writer.submit(batch).then(
      (outcomes) => ({ outcomes }),
      (error: Error) => ({ message: error.message, code: sqliteCodeOf(error) }),
    );
    const slowReason = own.slowReason();
    const isSent = channel.send({ ledger: 'committed', id, result, events, slowReason });
    // The next answer to a living worker has them otherwise.
    if (isSent) events = [];
  };
  return {
    serve(channel) {
      channel.onMessage((message) => {
        if (isCommitMessage(message) && message.ledger === 'commit') void answer(channel, message);
      });
    },
    flush: () => writer.flush(),
  };
}

function report(listener: CommitListener, event: CommitEvent): void {
  const [name, ...given] = event;
  // Both ends have the same version, so the arguments match the method.
  (listener[name] as (...given: unknown[]) => void)(...given);
}

function isCommitMessage(message: unknown): message is CommitMessage {
  return typeof message === 'object' && message !== null && 'ledger' in message;
}
