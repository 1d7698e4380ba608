import type { ReactNode } from 'react';

export interface Confirmation {
  /** Names the object: "Delete channel openai-main?" */
  readonly title: string;
  /** The consequence. */
  readonly text?: ReactNode;
  /** The verb and object on the button: "Delete 3 channels". */
  readonly verb: string;
  readonly isDanger?: boolean;
  /** Text to type before the button is enabled: for irreversible actions on many records. */
  readonly typed?: string;
}

export interface Asked extends Confirmation {
  readonly answer: (isSure: boolean) => void;
}
