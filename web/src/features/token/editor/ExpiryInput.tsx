import { Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MomentInput } from '../../../components/forms/MomentInput.tsx';
import { Picks } from '../../../components/forms/Picks.tsx';
import { EXPIRY_PRESETS, NEVER_EXPIRES } from './token-form.ts';

interface ExpiryInputProps {
  /** Epoch seconds, or `NEVER`. */
  readonly value: number;
  readonly error: ReactNode;
  readonly onChange: (at: number) => void;
}

const NAMES = ['never', 'hour', 'day', 'month'] as const;

/** A token's expiry: a date and time, or a preset. */
export function ExpiryInput({ value, error, onChange }: ExpiryInputProps) {
  const { t } = useTranslation();
  const [picked, setPicked] = useState<(typeof NAMES)[number] | undefined>(undefined);
  return (
    <Stack gap={6}>
      <MomentInput
        label={t('token.expiresAt')}
        placeholder={t('token.never')}
        value={value === NEVER_EXPIRES ? undefined : value}
        onChange={(at) => {
          setPicked(undefined);
          onChange(at ?? NEVER_EXPIRES);
        }}
        error={error}
      />
      <Picks
        label={t('token.expiresAt')}
        picks={NAMES}
        value={value === NEVER_EXPIRES ? 'never' : picked}
        text={(name) => t(name === 'never' ? 'token.never' : `token.expiry.${name}`)}
        onPick={(name) => {
          setPicked(name);
          onChange(
            name === 'never' ? NEVER_EXPIRES : Math.floor(Date.now() / 1000) + EXPIRY_PRESETS[name],
          );
        }}
      />
    </Stack>
  );
}
