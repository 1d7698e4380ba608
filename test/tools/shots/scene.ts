import type { Page } from '@playwright/test';

export type Who = 'guest' | 'root' | 'user' | 'newcomer';

export interface Scene {
  /** `<family>-<state>`; a family is shot together. */
  readonly name: string;
  readonly who: Who;
  readonly path: string;
  /** Wide windows only: what phones have instead is a scene of its own. */
  readonly isWide?: boolean;
  /** A refused call is part of the picture. */
  readonly fails?: boolean;
  /** Before the page loads, such as answers of calls that the seed cannot give. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** What is pressed once the page is shown. Names are those of both languages. */
  readonly after?: (page: Page) => Promise<unknown>;
}
