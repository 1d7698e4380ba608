import { Button, Group, Loader, Textarea } from '@mantine/core';
import { IconEdit, IconRefresh, IconTrash } from '@tabler/icons-react';
import { memo, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyButton } from '../../../components/display/copy.tsx';
import { Dimmed } from '../../../components/display/Dimmed.tsx';
import { IconButton } from '../../../components/display/IconButton.tsx';
import { ModelProblem } from '../../../components/display/ModelProblem.tsx';
import { Notice } from '../../../components/display/Notice.tsx';
import { SideButton } from '../../../components/display/SideButton.tsx';
import { Tag } from '../../../components/display/Tag.tsx';
import classes from '../Playground.module.css';
import { AnswerView } from './AnswerView.tsx';
import type { Turn } from './turns.ts';
import type { ChatActions } from './useChat.ts';

interface TurnViewProps {
  readonly turn: Turn;
  readonly actions: ChatActions;
  readonly isBusy: boolean;
  readonly isLast: boolean;
}

/** Memoized: earlier turns do not re-render while an answer grows. */
export const TurnView = memo(function TurnView({ turn, actions, isBusy, isLast }: TurnViewProps) {
  const { t } = useTranslation();
  const [isEdited, setEdited] = useState(false);
  const isRunning = isBusy && isLast;
  return (
    <article className={classes.turn} data-role={turn.role} data-status={turn.status}>
      <Group gap={6} mb={4}>
        <Dimmed fw={600}>{t(`playground.role.${turn.role}`)}</Dimmed>
        {turn.status === 'incomplete' && !isRunning && (
          <Tag tone="yellow">{t('playground.incomplete')}</Tag>
        )}
      </Group>
      {isEdited ? (
        <EditForm
          text={turn.text}
          onCancel={() => setEdited(false)}
          onSend={(text) => {
            setEdited(false);
            actions.resend(turn.id, text);
          }}
        />
      ) : (
        <TurnBody turn={turn} isRunning={isRunning} onRetry={() => actions.regenerate(turn.id)} />
      )}
      {!isRunning && !isEdited && (
        <Group gap={2} mt={4}>
          <CopyButton text={turn.text} label={t('playground.copy')} />
          {turn.role === 'user' ? (
            <IconButton
              label={t('playground.edit')}
              disabled={isBusy}
              onClick={() => setEdited(true)}
            >
              <IconEdit size={16} />
            </IconButton>
          ) : (
            <IconButton
              label={t('playground.regenerate')}
              disabled={isBusy}
              onClick={() => actions.regenerate(turn.id)}
            >
              <IconRefresh size={16} />
            </IconButton>
          )}
          <IconButton
            label={t('playground.remove')}
            disabled={isBusy}
            onClick={() => actions.remove(turn.id)}
          >
            <IconTrash size={16} />
          </IconButton>
        </Group>
      )}
    </article>
  );
});

interface TurnBodyProps {
  readonly turn: Turn;
  readonly isRunning: boolean;
  readonly onRetry: () => void;
}

function TurnBody({ turn, isRunning, onRetry }: TurnBodyProps) {
  const { t } = useTranslation();
  const isThinking = isRunning && turn.text === '';
  return (
    <>
      {turn.images.length > 0 && (
        <Group mb={6}>
          {turn.images.map((image, index) => (
            <img
              key={image}
              src={image}
              alt={t('playground.image', { number: index + 1 })}
              className={classes.image}
            />
          ))}
        </Group>
      )}
      {turn.reasoning !== '' && (
        <details className={classes.reasoning} open={isThinking || undefined}>
          <summary>{t('playground.reasoning')}</summary>
          <div className={classes.text}>{turn.reasoning}</div>
        </details>
      )}
      {turn.role === 'user' ? (
        <div className={classes.text}>{turn.text}</div>
      ) : (
        <AnswerView text={turn.text} isComplete={!isRunning} />
      )}
      {isThinking && <Loader type="dots" size="sm" aria-label={t('playground.waiting')} />}
      {turn.status === 'error' && (
        <Notice
          tone="red"
          title={t(turn.text === '' ? 'playground.failed' : 'playground.broken')}
          action={<SideButton size="xs" label={t('action.retry')} onClick={onRetry} />}
        >
          <ModelProblem text={turn.problem || t('playground.failed.unknown')} />
        </Notice>
      )}
    </>
  );
}

interface EditFormProps {
  readonly text: string;
  readonly onSend: (text: string) => void;
  readonly onCancel: () => void;
}

function EditForm({ text, onSend, onCancel }: EditFormProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(text);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.setSelectionRange(text.length, text.length);
  }, [text]);
  return (
    <>
      <Textarea
        ref={field}
        minRows={2}
        maxRows={12}
        aria-label={t('playground.edit')}
        value={draft}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <Group mt="xs">
        <Button size="xs" disabled={draft.trim() === ''} onClick={() => onSend(draft)}>
          {t('playground.resend')}
        </Button>
        <SideButton size="xs" label={t('action.cancel')} onClick={onCancel} />
      </Group>
    </>
  );
}
