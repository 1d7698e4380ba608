/**
 * The tokenizer's worker thread: loading the vocabulary takes a third of a second and 64 MB, and
 * some texts take long to encode; neither may block a stream. Returns a count per text of each job.
 */
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base';
import { answerJobs } from '../worker-threads/answer-jobs.ts';
import { withoutLongRuns } from './long-runs.ts';

/** Words cached by the encoder; its own default would grow to ten times that. */
const CACHED_WORDS = 10_000;
/** `<|endoftext|>` and similar tokens in a prompt are plain text, not control tokens or errors. */
const PLAIN_TEXT = { disallowedSpecial: new Set<string>() };

setMergeCacheSize(CACHED_WORDS);

answerJobs(async (texts: readonly string[]) => texts.map(countText));

function countText(text: string): number {
  return withoutLongRuns(text).reduce((sum, piece) => sum + countTokens(piece, PLAIN_TEXT), 0);
}
