package reaper_test

// clause is one condition of the rule, or one thing that it lets count. The
// reference can be asked what it would say without one.
type clause int

const (
	clauseNone clause = iota // the whole rule
	clauseValid
	clauseMemberZombie
	clauseMemberKernel
	clauseMemberKnown
	clauseCommLies
	clauseVersion
	clausePrefix
	clauseOwnFamily
	clauseWrapper
	clauseWrapperZombie
	clauseWrapperKernel
	clauseWrapperKnown
	clauseInterpreter
	clauseWrapperComm
	clauseTrueMember
	clauseChain
	clauseChainReuse
	clauseUnseen
	clauseOrphanReuse
	clauseInitSession
	clauseSubreaper
	clauseLeader
	clauseSession
	clauseOurs
	clauseOursReuse
	clauseUIDKnown
	clauseUID
	clauseNamespacesKnown
	clauseOwnNamespaces
	clauseMount
	clausePID
	clauseFloor
	clauseOwned
	clauseWanted
	clauseFirst
	clauseCwd
	clauseCwdKnown
	clauseCwdComponent
	clauseCwdLongest
	clauseCwdTwo
	clauseDeleted
	clauseRemovedLive
	clauseRemovedDeleted
	clauseExe
	clauseExeKnown
	clauseFiles
	clauseFilesKnown
	clauseFilesTwo
	clauseTargetComponent
	clauseTargetLongest
	clauseTargetShared
	clauseSharedHides
	clauseTargetRemoved
	clauseLeaf
	clauseLeafKnown
	clauseCookie
	clauseCookieKnown
	clauseCookieUnknown
	clauseCookieTwo
	clauseTreeMembers
	clauseTreeTwo
	clauseBelow
	clauseBelowReuse
	clauseSparedBelow
	clauseSparedLast
	clauseSpareUser
	clauseSpareNamespaces
	clauseSpareForeign
	clauseTTY
	clauseTTYLeader
	clauseForeground
	clauseProtected
	clauseProtectedBelow
	clauseVictimZombie
	clauseSpareKernel
	clauseStrayKin
	clauseStrayReuse
	clauseStrayZombie
	clauseLeafFirst
	clauseLeafDead
	clauseLeafRun
	clauseLeafLives
	clauseDeadCookieKnown
	clauseCookieDead
	clauseCookieRun
	clauseCookieLives
	clauseTestOption
	clauseTest
	clauseTestKnown
	clauseTestName
	clauseHUPKnown
	clauseHUP
	clauseTestLeader
	clauseTestWanted
	clauseEnd
)

func (c clause) String() string {
	return [...]string{
		clauseNone:            "the whole rule",
		clauseValid:           "process 1 and our own must be in the picture",
		clauseMemberZombie:    "a zombie is no member",
		clauseMemberKernel:    "a kernel thread is no member",
		clauseMemberKnown:     "a program that is not known is no member",
		clauseCommLies:        "comm does not make a member",
		clauseVersion:         "a version is taken off a name",
		clausePrefix:          "a target prefix is taken off a name",
		clauseOwnFamily:       "the family can be given",
		clauseWrapper:         "a wrapper stands in a chain",
		clauseWrapperZombie:   "a zombie is no wrapper",
		clauseWrapperKernel:   "a kernel thread is no wrapper",
		clauseWrapperKnown:    "a program that is not known is no wrapper",
		clauseInterpreter:     "a wrapper runs an interpreter",
		clauseWrapperComm:     "a wrapper is called like a member",
		clauseTrueMember:      "a chain without a true member is none",
		clauseChain:           "the chain goes up through kin",
		clauseChainReuse:      "the chain ends where the parent is younger",
		clauseUnseen:          "a parent that is not seen makes no orphan",
		clauseOrphanReuse:     "a parent that is younger makes no orphan",
		clauseInitSession:     "below process 1, in its session: no orphan",
		clauseSubreaper:       "another session than the parent's: an orphan",
		clauseLeader:          "a session leader is no orphan of a subreaper",
		clauseSession:         "in its parent's session: no orphan",
		clauseOurs:            "never ourselves or our ancestors",
		clauseOursReuse:       "an ancestor of ours by a reused pid counts",
		clauseUIDKnown:        "whose user is not known is another user's",
		clauseUID:             "never another user's",
		clauseNamespacesKnown: "namespaces that are not known are others",
		clauseOwnNamespaces:   "our own namespaces not known: nothing",
		clauseMount:           "never another mount namespace",
		clausePID:             "never another pid namespace",
		clauseFloor:           "never a young one",
		clauseOwned:           "never one that is nobody's",
		clauseWanted:          "only a wanted lane's",
		clauseFirst:           "the first evidence counts",
		clauseCwd:             "a cwd is evidence",
		clauseCwdKnown:        "a cwd that is not known is none",
		clauseCwdComponent:    "inside a lane means component by component",
		clauseCwdLongest:      "the innermost of nested lanes",
		clauseCwdTwo:          "two lanes of one root own nothing",
		clauseDeleted:         "a deleted cwd counts",
		clauseRemovedLive:     "a removed lane does not own a living cwd",
		clauseRemovedDeleted:  "a removed lane owns a deleted cwd",
		clauseExe:             "an exe in a target directory is evidence",
		clauseExeKnown:        "an exe that is not known is none",
		clauseFiles:           "an open file in a target directory is evidence",
		clauseFilesKnown:      "files that are not known are none",
		clauseFilesTwo:        "files of two lanes are nobody's",
		clauseTargetComponent: "inside a target means component by component",
		clauseTargetLongest:   "the innermost of nested targets",
		clauseTargetShared:    "a shared target owns nothing",
		clauseSharedHides:     "a shared target in another one hides it",
		clauseTargetRemoved:   "a removed lane's target owns nothing",
		clauseLeaf:            "a leaf is evidence",
		clauseLeafKnown:       "a leaf that is not known is none",
		clauseCookie:          "a cookie is evidence",
		clauseCookieKnown:     "a cookie that is not known is none",
		clauseCookieUnknown:   "a cookie that names an unknown run is nobody's",
		clauseCookieTwo:       "a cookie of two lanes is nobody's",
		clauseTreeMembers:     "the members say whose a tree is when the top does not",
		clauseTreeTwo:         "members of two lanes: nobody's",
		clauseBelow:           "what is below goes along",
		clauseBelowReuse:      "what was there before its parent's pid does not",
		clauseSparedBelow:     "what is below a spared one is spared",
		clauseSparedLast:      "what one leaked tree spares no other one takes",
		clauseSpareUser:       "another user's is spared below a leaked tree",
		clauseSpareNamespaces: "another namespace is spared below a leaked tree",
		clauseSpareForeign:    "what an unwanted lane owns is spared",
		clauseTTY:             "only a terminal can be in use",
		clauseTTYLeader:       "a session leader with a terminal is spared",
		clauseForeground:      "a terminal's foreground is spared",
		clauseProtected:       "protected ones are spared",
		clauseProtectedBelow:  "protected ones are spared below a leaked tree",
		clauseVictimZombie:    "a zombie is no victim",
		clauseSpareKernel:     "a kernel thread is spared",
		clauseStrayKin:        "members and wrappers alone are no strays",
		clauseStrayReuse:      "below a leaked tree by a reused pid: no stray",
		clauseStrayZombie:     "a zombie is no stray",
		clauseLeafFirst:       "a leaf is asked before the cookie",
		clauseLeafDead:        "in a dead run's leaf: gpuci's",
		clauseLeafRun:         "in the leaf of an unknown run: not gpuci's",
		clauseLeafLives:       "in a living run's leaf: not gpuci's",
		clauseDeadCookieKnown: "a cookie that is not known is no dead run's",
		clauseCookieDead:      "with dead runs' cookie: gpuci's",
		clauseCookieRun:       "with an unknown run's cookie: not gpuci's",
		clauseCookieLives:     "with a living run's cookie: not gpuci's",
		clauseTestOption:      "test binaries only when asked",
		clauseTest:            "a test binary of a wanted lane goes",
		clauseTestKnown:       "a program that is not known is no test binary",
		clauseTestName:        "only what is named like a test binary",
		clauseHUPKnown:        "whether it ignores SIGHUP must be known",
		clauseHUP:             "never one that ignores SIGHUP",
		clauseTestLeader:      "never a test binary that leads a session",
		clauseTestWanted:      "only a test binary out of a wanted lane's target",
	}[c]
}
