/** Query keys. A change of one kind invalidates `all`, whatever its filters. */
export interface EntityKeys {
  readonly all: readonly [string];
  list(query: unknown): readonly unknown[];
  one(id: number | string): readonly unknown[];
  /** Other data of the kind, e.g. `statistics`. */
  part(name: string, query?: unknown): readonly unknown[];
}

function entityKeys(noun: string): EntityKeys {
  return {
    all: [noun],
    list: (query) => [noun, 'list', query],
    one: (id) => [noun, 'one', id],
    part: (name, query) => [noun, name, query],
  };
}

export const budgetKeys = entityKeys('budget');
export const channelKeys = entityKeys('channel');
export const checkInKeys = entityKeys('check-in');
export const dashboardKeys = entityKeys('dashboard');
export const imageTaskKeys = entityKeys('image-task');
export const groupKeys = entityKeys('group');
export const jobKeys = entityKeys('job');
export const logKeys = entityKeys('log');
export const messageKeys = entityKeys('message');
export const optionKeys = entityKeys('option');
export const priceKeys = entityKeys('price');
export const redemptionKeys = entityKeys('redemption');
export const selfKeys = entityKeys('self');
export const sessionKeys = entityKeys('session');
export const taskKeys = entityKeys('task');
export const tokenKeys = entityKeys('token');
export const userKeys = entityKeys('user');
export const walletKeys = entityKeys('wallet');
