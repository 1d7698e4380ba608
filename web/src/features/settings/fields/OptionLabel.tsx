import { ActionIcon, Tooltip } from '@mantine/core';
import { IconRotate2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { optionRowOf } from '../../../../../src/domain/options/registry.ts';
import classes from '../Settings.module.css';
import { useSettings } from '../sections/settings-store.ts';
import type { FormKey } from '../sections/tabs.ts';

interface OptionLabelProps {
  readonly option: FormKey;
  /** Replaces the option's name. */
  readonly text?: string;
}

const LONGEST = 60;

/** An option's name, with its key on hover and a dot if it differs from the default. */
export function OptionLabel({ option, text }: OptionLabelProps) {
  const { t } = useTranslation();
  const { ownKeys, text: textNow, change } = useSettings();
  const { fallback, secret } = optionRowOf(option);
  const value = fallback === '' ? t('setting.default.empty') : fallback.slice(0, LONGEST);
  const isOwn = ownKeys.has(option) && !secret;
  return (
    <span className={classes.label}>
      <Tooltip label={option}>
        <span>{text ?? t(`setting.name.${option}`)}</span>
      </Tooltip>
      {isOwn && (
        <Tooltip label={t('setting.isChanged', { value })}>
          <span className={classes.dot} aria-hidden />
        </Tooltip>
      )}
      {isOwn && textNow(option) !== fallback && (
        <Tooltip label={t('setting.toDefault')}>
          <ActionIcon
            size={18}
            component="span"
            role="none"
            tabIndex={-1}
            aria-hidden
            onClick={(event) => {
              event.preventDefault();
              change(option, fallback);
            }}
          >
            <IconRotate2 size={13} />
          </ActionIcon>
        </Tooltip>
      )}
    </span>
  );
}
