;;; chalkgit.el --- What chalkgit knows about a file, once it was saved  -*- lexical-binding: t; -*-

;; Emacs 26 and later, no language server.  A ruling is told once in this Emacs: its line is shown in the
;; echo area and kept in the buffer *chalkgit*, where `next-error' and a click lead to the file.

;;; Code:

(require 'compile)

(defvar chalkgit-program "chalkgit" "The program, by name or path.")

(defun chalkgit--saved ()
  "Ask about the file of this buffer, without waiting for the answer."
  (let ((file buffer-file-name)
        (default-directory temporary-file-directory)) ; a folder that is there, and is no repository's
    (when (and file (not (file-remote-p file)) (executable-find chalkgit-program))
      (let ((out (generate-new-buffer " *chalkgit out*" ))
            (err (generate-new-buffer " *chalkgit err*")))
        (make-process
         :name "chalkgit"
         :buffer out
         :stderr (make-pipe-process :name "chalkgit err" :buffer err :noquery t :sentinel #'ignore)
         :noquery t
         :connection-type 'pipe
         :command (list chalkgit-program "hook" "save" "--session" (format "emacs-%d" (emacs-pid)) file)
         :sentinel (lambda (process _event)
                     (unless (process-live-p process)
                       (chalkgit--told (chalkgit--taken out) (chalkgit--taken err)))))))))

(defun chalkgit--taken (buffer)
  "The text of BUFFER, which is of no use after that."
  (prog1 (with-current-buffer buffer (buffer-string))
    (when (get-buffer-process buffer)
      (delete-process (get-buffer-process buffer)))
    (kill-buffer buffer)))

(defun chalkgit--told (out err)
  "Keep the lines of OUT in *chalkgit*, and show the first of them, or of ERR."
  (unless (string= out "")
    (with-current-buffer (get-buffer-create "*chalkgit*")
      (unless (derived-mode-p 'compilation-mode)
        (compilation-mode)
        (setq-local compilation-skip-threshold 0)) ; `next-error' stops at a note too
      (let ((inhibit-read-only t))
        (save-excursion
          (goto-char (point-max))
          (insert out)))))
  (let ((first (car (split-string (if (string= out "") err out) "\n" t))))
    (when first
      (message "%s" (replace-regexp-in-string "\\`.*?: \\(?:note\\|error\\): " "" first)))))

(add-hook 'after-save-hook #'chalkgit--saved)

(provide 'chalkgit)
;;; chalkgit.el ends here
