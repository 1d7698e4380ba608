import type { ReactNode } from 'react';

export interface Confirmation {
  /** Names the object: "Delete channel openai-main?" */
  readonly title: string;
  /** The consequence. */
  readonly text?: ReactNode;
  /** The button repeats it with the object: "Delete 3 channels". */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** Must be typed before the button works: for what cannot be undone and concerns many. */
  readonly typed?: string;
}

export interface Asked extends Confirmation {
  readonly answer: (isSure: boolean) => void;
}
