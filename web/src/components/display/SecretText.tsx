import { useCallbackRef } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { usePrivacy } from '../../lib/display/privacy.ts';
import { useCellText } from '../../lib/text/cell-text.ts';
import { RowIcon } from '../data-table/RowIcon.tsx';
import { CopyButton } from './copy.tsx';
import { IconButton } from './IconButton.tsx';
import classes from './SecretText.module.css';

const SHOWN_MS = 30_000;

interface SecretTextProps {
  /** The secret, or a function that fetches it on demand. */
  readonly secret: string | (() => Promise<string>);
  /** Shown while it is hidden; derived from the secret by default. */
  readonly masked?: string;
  /** Names it in the labels of the two buttons. */
  readonly label?: string;
  readonly canCopy?: boolean;
}

/** A masked secret: the eye button shows it for 30 s; it can be copied while masked. */
export function SecretText({ secret, masked, label, canCopy = true }: SecretTextProps) {
  const t = useCellText();
  const isPrivate = usePrivacy();
  const [shown, setShown] = useState<string | undefined>(undefined);
  const read = async () => (typeof secret === 'string' ? secret : secret());
  const toggle = async () => setShown(shown === undefined ? await read() : undefined);
  const cover = masked ?? (typeof secret === 'string' ? maskSecret(secret) : DOTS);
  const isShown = shown !== undefined && !isPrivate;
  const eyeLabel = t(isShown ? 'part.secret.hide' : 'part.secret.show');
  return (
    <span className={classes.root}>
      <span className={classes.text} data-shown={isShown || undefined}>
        {isShown ? shown : isPrivate ? DOTS : cover}
      </span>
      {shown !== undefined && <Hiding key={shown} onTime={() => setShown(undefined)} />}
      <IconButton
        label={eyeLabel}
        disabled={isPrivate}
        onClick={(event) => {
          event.stopPropagation();
          void toggle().catch(() => undefined);
        }}
      >
        <RowIcon name={isShown ? 'eyeOff' : 'eye'} />
      </IconButton>
      {canCopy && <CopyButton text={read} {...(label !== undefined && { label })} />}
    </span>
  );
}

/** Mounted only while the secret is visible, so that hidden ones need no timer. */
function Hiding({ onTime }: { readonly onTime: () => void }) {
  const hide = useCallbackRef(onTime);
  useEffect(() => {
    const timer = setTimeout(hide, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [hide]);
  return null;
}

const DOTS = '••••••••';

/** `sk-ab••••••••yz`: enough to distinguish two keys, too little to use one. */
export function maskSecret(secret: string): string {
  return secret.length < 12 ? DOTS : `${secret.slice(0, 5)}${DOTS}${secret.slice(-2)}`;
}
