import type { Page } from '@playwright/test';

export type Who = 'guest' | 'root' | 'user' | 'newcomer';

interface Steps {
  /** Wide windows only: what phones have instead is a scene of its own. */
  readonly isWide?: boolean;
  /** A refused call is part of the picture. */
  readonly fails?: boolean;
  /** Before the page loads, such as answers of calls that the seed cannot give. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What is pressed once the page is shown. Names are those of both languages. */
  readonly after?: (page: Page) => Promise<unknown>;
}

export interface Scene extends Steps {
  /** `<family>-<state>`; a family is shot together. */
  readonly name: string;
  readonly who: Who;
  readonly path: string;
}

const scenesOf =
  (who: Who) =>
  (name: string, path: string, steps: Steps = {}): Scene => ({ name, who, path, ...steps });

export const asGuest = scenesOf('guest');
export const asRoot = scenesOf('root');
export const asUser = scenesOf('user');
export const asNewcomer = scenesOf('newcomer');
