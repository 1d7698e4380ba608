import { Chip, Group, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MomentInput } from '../../../components/forms/MomentInput.tsx';
import { EXPIRY_PRESETS, NEVER_EXPIRES } from './token-form.ts';

interface ExpiryInputProps {
  /** Epoch seconds, or `NEVER`. */
  readonly value: number;
  readonly error: ReactNode;
  readonly onChange: (at: number) => void;
}

const NAMES = ['hour', 'day', 'month'] as const;

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
      <Group gap={6}>
        <Chip size="xs" checked={value === NEVER_EXPIRES} onChange={() => onChange(NEVER_EXPIRES)}>
          {t('token.never')}
        </Chip>
        {NAMES.map((name) => (
          <Chip
            key={name}
            size="xs"
            checked={picked === name && value !== NEVER_EXPIRES}
            onChange={() => {
              setPicked(name);
              onChange(Math.floor(Date.now() / 1000) + EXPIRY_PRESETS[name]);
            }}
          >
            {t(`token.expiry.${name}`)}
          </Chip>
        ))}
      </Group>
    </Stack>
  );
}
