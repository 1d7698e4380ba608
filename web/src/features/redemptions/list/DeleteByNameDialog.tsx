import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { Form, ProblemNotice } from '../../../components/forms/Form.tsx';
import { useAction } from '../../../hooks/useAction.ts';
import { redemptionKeys, redemptions } from '../calls.ts';

interface DeleteByNameDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Two steps: first counts the codes with this name, then shows the button that deletes them. */
export function DeleteByNameDialog({ isOpen, onClose }: DeleteByNameDialogProps) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('redemption.deleteByName')}
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {isOpen && <Steps onClose={onClose} />}
    </Modal>
  );
}

const COUNTED = 'redemption.counted';

function Steps({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [error, setError] = useState('');
  const [counted, setCounted] = useState<number | undefined>(undefined);
  const count = useAction((name: string) => redemptions.countByName({ name }), {
    onDone: setCounted,
    isQuiet: true,
  });
  const remove = useAction((name: string) => redemptions.removeByName({ name }), {
    touches: [redemptionKeys],
    done: (count) => t('redemption.deleted', { count }),
    onDone: onClose,
    isQuiet: true,
  });
  const problem = count.error ?? remove.error;
  const look = () => {
    if (name.trim() === '') return setError(t('redemption.error.nameMissing'));
    count.mutate(name.trim());
  };
  const rename = (typed: string) => {
    setName(typed);
    setError('');
    setCounted(undefined);
  };
  return (
    <Form onSubmit={look}>
      <Stack gap="md">
        <ProblemNotice problem={problem} />
        <TextInput
          label={t('redemption.name')}
          description={t('redemption.byNameHint')}
          value={name}
          error={error}
          data-autofocus
          onChange={(event) => rename(event.currentTarget.value)}
        />
        {counted !== undefined && (
          <Text size="sm" component="div" role="status">
            <Trans
              t={t}
              i18nKey={COUNTED}
              values={{ count: counted, name: name.trim() }}
              components={{
                figure: (
                  <Text
                    span
                    fz={20}
                    fw={600}
                    c={counted > 0 ? 'var(--mantine-color-error)' : undefined}
                  />
                ),
              }}
            />
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('action.cancel')}
          </Button>
          {counted === undefined || counted === 0 ? (
            <Button type="submit" loading={count.isPending}>
              {t('redemption.count')}
            </Button>
          ) : (
            <Button
              color="danger"
              loading={remove.isPending}
              onClick={() => remove.mutate(name.trim())}
            >
              {t('redemption.verbDeleteMany', { count: counted })}
            </Button>
          )}
        </Group>
      </Stack>
    </Form>
  );
}
