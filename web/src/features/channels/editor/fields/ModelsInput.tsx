import { TagsInput, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import classes from '../ChannelEditor.module.css';
import { useRetiredModels } from '../useChannelTypes.ts';

interface ModelsInputProps {
  readonly value: readonly string[];
  readonly onChange: (models: readonly string[]) => void;
  readonly error?: ReactNode;
  readonly suggestions?: readonly string[];
  readonly isRequired?: boolean;
  /** The type has exactly these models. */
  readonly isFixed?: boolean;
}

/** An input of model names, typed or pasted in bulk; duplicates are dropped with a note. */
export function ChannelModelsInput(props: ModelsInputProps) {
  const { value, onChange, error, suggestions = [], isRequired = false, isFixed = false } = props;
  const { t } = useTranslation();
  const [double, setDouble] = useState('');
  const retired = useRetiredModels();
  const gone = value.filter((model) => retired.has(model));
  const hint =
    double === '' ? t('channel.models.hint') : t('channel.models.double', { model: double });
  return (
    <TagsInput
      required={isRequired}
      readOnly={isFixed}
      label={t('channel.field.models')}
      description={
        <>
          {isFixed ? t('channel.models.fixed') : hint}
          {gone.length > 0 && (
            <Text span inherit display="block" c="var(--tone-orange-text)">
              {t('channel.models.retiredNames', { models: gone })}
            </Text>
          )}
        </>
      }
      data={[...suggestions]}
      limit={20}
      value={[...value]}
      onChange={(models) => {
        setDouble('');
        onChange(models);
      }}
      onDuplicate={setDouble}
      isDuplicate={(model, models) => models.includes(model)}
      splitChars={[',', ' ', '\n', '\t', ';']}
      error={error}
      maxDropdownHeight={220}
      classNames={{ pillsList: classes.pills ?? '' }}
      styles={{ pill: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
    />
  );
}
